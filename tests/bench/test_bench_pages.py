"""Pictures and tables that the benches write for the perception's page."""

from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from polarity_bench import by_nuisance, scene_pictures
from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.condition import CLEAN
from tests.bench.test_bench_perception import answer, looked_at, some

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def mat():
    return load_mat("standard")


def told(truth):
    """What an engine that saw exactly this would answer."""
    return [
        answer(shape=p.shape, face=p.face, discs=p.discs, x=p.contact_xy[0], y=p.contact_xy[1],
               tilt=p.tilt_deg, azimuth=p.azimuth_deg)
        if p.shape == "leaner"
        else answer(shape=p.shape, face=p.face, discs=p.discs, x=p.x_mm, y=p.y_mm)
        for p in truth
    ]  # fmt: skip


def test_the_right_answers_leave_nothing(mat):
    look, field_mt = looked_at(mat, some, CLEAN)
    assert scene_pictures.answered_field_mt(told(look.truth), mat) == pytest.approx(
        field_mt, abs=1e-6
    )


def test_a_picture_shows_every_sensor_in_its_colour(mat):
    values = np.zeros(mat.n)
    values[3], values[5] = 50.0, -80.0
    tree = ElementTree.fromstring(scene_pictures._sensors(values, 50.0, mat, "a title"))
    dots = [dot for dot in tree.iter(SVG + "circle") if dot.get("cx")]
    assert len(dots) == mat.n
    assert dots[3].get("fill") == "rgb(196,30,58)" and dots[5].get("fill") == "rgb(20,80,180)"
    assert dots[5].find(SVG + "title").text == "-80.00 mT"


def test_a_wrong_answer_is_drawn_in_red(mat):
    look, _ = looked_at(mat, some, CLEAN)
    said = told(look.truth)
    said[1]["discs"] = 3
    tree = ElementTree.fromstring(scene_pictures.scene_picture(look.truth, said, mat, "title"))
    strokes = Counter(shape.get("stroke") for shape in tree.iter(SVG + "polygon"))
    assert strokes == {"#888": 4, "#07a": 3, "#e00": 1}
    assert [text.text for text in tree.iter(SVG + "text")] == ["4", "title"]


def test_the_worst_kinds_of_facts():
    games = [
        {"missed": Counter(fell=2), "wrong": Counter(placed=1), "invented": Counter()},
        {"missed": Counter(fell=1), "wrong": Counter(), "invented": Counter(fell=1, jolt=2)},
    ]
    assert (
        by_nuisance.worst_kinds(games)
        == "fell 3 missed, 1 invented; jolt 2 invented; placed 1 wrong"
    )


def test_the_table_goes_between_its_marks(monkeypatch, tmp_path):
    page = tmp_path / "README.md"
    page.write_text(f"above\n{by_nuisance.BEGIN}\nold\n{by_nuisance.END}\nbelow\n")
    monkeypatch.setattr(by_nuisance, "PAGE", page)
    monkeypatch.setattr(by_nuisance, "row", lambda name, *_: (name, *["1"] * 7))
    by_nuisance.main(["--only", "watch", "--write"])
    text = page.read_text()
    assert text.startswith("above\n") and text.endswith("below\n") and "old" not in text
    assert "| watch | 1 |" in text
