"""What `make emulate` shows: an opening, played by the whole firmware, in the host tools' words."""

import re

from polarity_host.simulation.pico import __main__ as emulate
from polarity_host.simulation.pico.image import EmulatorMissing


def test_what_it_shows(image, capsys):
    assert emulate.main() == 0
    shown = capsys.readouterr().out
    assert "some four minutes" in shown.splitlines()[2]
    told = [
        "Black's fault: leaner 4 fell flat.",
        "White's fault: discs 3 and 4 touch. To capture, by Black: discs 3 and 4.",
        "Black captures the group: it is tower 3 now.",
        "12 rulings, just those due.",
    ]
    places = [shown.find(text) for text in told]
    assert -1 not in places and places == sorted(places)
    rings = re.findall("the ring +([o.]+)\n", shown)
    assert len(rings) >= 4 and all(len(ring) == 60 and "o" in ring for ring in rings)


def test_without_an_image_it_says_what_to_do(monkeypatch, capsys):
    def missing():
        raise EmulatorMissing("get one")

    monkeypatch.setattr(emulate, "find_image", missing)
    assert emulate.main() == 1
    assert capsys.readouterr() == ("", "make emulate: get one\n")
