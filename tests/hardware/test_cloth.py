"""The cloth's artwork: to scale, whole over all sheets, and with marks that meet the plate's."""

import math
import re

import pytest

from hardware.tools import cloth, drawings
from hardware.tools.drawing import Drawing
from polarity_host.mats.description import load_mat

INK = ("circle", "ink")


def test_the_circle_and_the_dot_are_printed_as_large_as_they_are_played(mat):
    printed = [shape for shape in drawings.cloth(mat).shapes if shape[:2] == INK]
    assert [(s.centre, s.radius_mm, s.filled) for s in printed] == [
        ((0, 0), mat.circle_radius_mm, False), ((0, 0), mat.dot_radius_mm, True),
    ]  # fmt: skip
    cut = [shape for shape in drawings.cloth(mat).shapes if shape.layer == "cut"]
    assert [shape.radius_mm for shape in cut] == [drawings.cloth_radius_mm(mat)]


def test_the_ticks_of_cloth_and_plate_point_at_each_other(mat):
    """Four long ones, on both, on the axes; none of the plate's under the lights or the cloth."""

    def turns(lines):
        return sorted(round(math.degrees(math.atan2(*b[::-1]))) % 360 for _, b in lines)

    on_cloth = [s[2:4] for s in drawings.cloth(mat).shapes if s[:2] == ("line", "ink")]
    on_plate = drawings.marks(mat)[2:]
    assert turns(on_cloth) == turns(on_plate) == [0, 90, 180, 270]
    outer = mat.build["led_radius_mm"] + mat.build["slot_mm"] / 2
    assert all(math.hypot(*a) > outer for a, _ in on_plate)
    scored = [s[2:4] for s in drawings.top_plate(mat).shapes if s[:2] == ("line", "score")]
    assert all(mark in scored for mark in drawings.marks(mat))


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_sheets_cover_everything_and_share_a_strip(mat, paper):
    drawing = drawings.cloth(mat)
    (left, bottom), (right, top) = drawing.extent()
    listed = cloth.sheets(drawing, paper)
    windows = [sheet.window for sheet in listed]
    assert min(w[0] for w in windows) <= left and max(w[2] for w in windows) >= right
    assert min(w[1] for w in windows) <= bottom and max(w[3] for w in windows) >= top
    for n, a in enumerate(windows):
        for b in windows[:n]:
            if a[1] == b[1] and abs(a[0] - b[0]) < (a[2] - a[0]):
                assert min(a[2], b[2]) - max(a[0], b[0]) == pytest.approx(10.0)
                shared = set(map(rounded, cloth.crosses(a))) & set(map(rounded, cloth.crosses(b)))
                assert len(shared) == 2
    if mat.id == "standard":
        assert len(listed) == 6


def rounded(point):
    return round(point[0], 6), round(point[1], 6)


def numbers(text):
    return [float(word) for word in re.findall(r"-?[0-9.]+", text)]


def test_a_millimetre_of_the_pdf_is_a_millimetre(tmp_path):
    """By what the file says: its boxes and its lines are in points of 1/72 inch."""
    import matplotlib

    drawing = Drawing("a line of 150 mm")
    drawing.box("cut", (0.0, 0.0), (150.0, 80.0))
    with matplotlib.rc_context({"pdf.compression": 0}):
        cloth.write_pdf(tmp_path / "whole.pdf", drawing, [cloth.whole(drawing)])
    text = (tmp_path / "whole.pdf").read_bytes().decode("latin-1")
    box = numbers(re.search(r"/MediaBox \[([^]]*)\]", text)[1])
    assert [side * 25.4 / 72 for side in box[2:]] == pytest.approx([170.0, 100.0], abs=0.01)
    lines = re.findall(r"([0-9.]+) ([0-9.]+) m\s+([0-9.]+) ([0-9.]+) l", text)
    lengths = {round(math.dist((float(a), float(b)), (float(c), float(d))) * 25.4 / 72, 2)
               for a, b, c, d in lines}  # fmt: skip
    assert lengths - {170.0, 100.0} == {150.0, 80.0}  # the others are the page's own edges
    starts = {
        (round(float(a) * 25.4 / 72, 2), round(float(b) * 25.4 / 72, 2)) for a, b, *_ in lines
    }
    assert (10.0, 10.0) in starts  # the border


def test_the_command_writes_the_whole_and_the_sheets(tmp_path, capsys):
    assert cloth.main(["--paper", "a4", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "cloth-a4.pdf").read_bytes().decode("latin-1")
    assert len(re.findall(r"/Type /Page\b", text)) == 6
    size = numbers(re.search(r"/MediaBox \[([^]]*)\]", text)[1])[2:]
    assert [round(side * 25.4 / 72) for side in size] == [210, 297]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "cloth.pdf", "cloth-a4.pdf", "cloth.svg",
    }  # fmt: skip
    assert "6 pages" in capsys.readouterr().out
    assert cloth.main(["--mat", "none", str(tmp_path)]) == 2


def test_the_drawing_in_the_tree_is_the_default_mats():
    drawing = drawings.drawings(load_mat())["cloth"]
    width = float(re.search(r'width="([0-9.]+)mm"', drawing.svg())[1])
    assert width == pytest.approx(2 * drawings.cloth_radius_mm(load_mat()) + 24.0)
