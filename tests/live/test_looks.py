"""Every view at four sizes, compared with a kept picture, so that a broken layout fails.

The kept pictures are small and grey, and the comparison is tolerant: fonts differ from computer to
computer. POLARITY_KEEP=1 writes them anew, from what the views look like now: look at build/live
before that is committed.
"""

import io
import os
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageFilter, ImageStat
from playwright.sync_api import expect

from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.players import puzzles
from polarity_host.simulation.port import power
from tests.live.conftest import SHOTS, scripted_server, serving
from tests.live.test_everyone import findings, views
from tests.waiting import wait_for

KEPT = Path(__file__).parent / "kept"
SHARE = 12  # pixels of a screenshot to one of its picture
FAR = 24  # levels of grey by which a part of a picture is another one
MOST_FAR = 0.02  # of the picture
SIZES = {"desktop": (1920, 1080), "laptop": (1366, 768), "phone": (390, 844), "lying": (844, 390)}
GLIDE_MS = 700  # until the pieces are where they are


def small(png):
    picture = Image.open(io.BytesIO(png)).convert("L").filter(ImageFilter.BoxBlur(SHARE // 2))
    return picture.resize((picture.width // SHARE, picture.height // SHARE), Image.Resampling.BOX)


def far_share(a, b):
    """How much of two pictures is not the same, from 0 to 1."""
    far = ImageChops.difference(a, b).point(lambda level: 255 * (level > FAR))
    return ImageStat.Stat(far).mean[0] / 255


class Looks:
    """Compares views with their pictures; `different` names those that are not the same."""

    def __init__(self, size):
        self.size, self.different = size, []

    def compare(self, page, view, axe=True):
        if axe and (found := findings(page)):
            self.different.append((view, self.size, found))
        name = f"{view.replace(' ', '-')}-{self.size}.png"
        page.mouse.move(0, 0)
        page.wait_for_timeout(300)
        png = page.screenshot(animations="disabled")
        SHOTS.mkdir(parents=True, exist_ok=True)
        (SHOTS / f"look-{name}").write_bytes(png)
        found = small(png)
        if "POLARITY_KEEP" in os.environ:
            found.save(KEPT / name, optimize=True)
        kept = Image.open(KEPT / name)
        if found.size != kept.size or far_share(found, kept) > MOST_FAR:
            self.different.append(name)


@pytest.fixture(params=SIZES)
def looks(request):
    found = Looks(request.param)
    yield found
    assert not found.different, "see the module's first lines"


def opened(look, looks, link, **options):
    """The page, dark on the laptop, without motion."""
    options |= {"dark": looks.size == "laptop", "reduced_motion": "reduce"}
    return look(link, *SIZES[looks.size], **options)


def test_the_page_and_its_dialogs(look, looks, played_here):
    page = opened(look, looks, played_here[0])
    expect(page.locator("#owed")).to_be_visible()
    page.wait_for_timeout(GLIDE_MS)
    for view in views(page):
        looks.compare(page, view, axe=False)  # which test_everyone does


def test_the_doctor(look, looks, played_here):
    page = opened(look, looks, played_here[0])
    page.locator("#game").click()
    page.locator("#menu [data-maintenance=doctor]").click()
    expect(page.locator("#maintenance [data-step=bare]")).to_be_visible()
    looks.compare(page, "doctor")
    page.locator("#maintenance .stop").click()
    expect(page.locator("#maintenance")).to_be_hidden()


def test_a_mat_to_play_on(look, looks, serve_url):
    url = "sim://virtual?seed=61&speed=2"
    game = power.hand_game_at(url)
    link, session, _ = serve_url(url, handler=PageHands(game))
    page = opened(look, looks, link)
    page.locator(".tray.w:enabled").wait_for()
    looks.compare(page, "virtual")
    page.keyboard.press("1")
    expect(page.locator("#virtual .held")).to_be_visible()
    wait_for(lambda: not any(hand.moving for hand in list(game.world.hands.values())))
    looks.compare(page, "virtual held")
    page.keyboard.press("Escape")
    session.send("declare w")
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator("#turn.provisional")).to_have_count(0)
    looks.compare(page, "virtual result")


@pytest.fixture(scope="module")
def spectators_link(tmp_path_factory):
    """That of a scripted game."""
    links = []
    with serving(tmp_path_factory) as serve:

        def serve_all(url, **options):
            link, session, server = serve(url, host="0.0.0.0", **options)
            links.extend(server.spectator_links[-1:])
            return link, session, server

        scripted_server(serve_all, names={"white": "Ada", "black": "Ben Vogelsang-Oberhuber"})
        yield links[0]


def test_who_only_watches(look, looks, spectators_link):
    page = opened(look, looks, spectators_link)
    expect(page.locator("#owed")).to_be_visible()
    page.wait_for_timeout(GLIDE_MS)
    looks.compare(page, "watched")


@pytest.fixture(scope="module")
def puzzle_link(tmp_path_factory):
    """That of a mat on which a puzzle is laid."""
    url = "sim://virtual?seed=1&speed=4"
    game = power.hand_game_at(url)
    with serving(tmp_path_factory) as serve:
        link, session, _ = serve(url, handler=PageHands(game))
        wait_for(lambda: game.view.get("t_ms", 0) > 3000)
        for _ in range(20):
            game.inputs.put({"do": "puzzle", "hand": "x", "number": 1})
            wait_for(lambda: _progress(game) == "laying")
            wait_for(lambda: _progress(game) != "laying")
            towers = [body["face"] for body in game.view["bodies"] if body["discs"] > 1]
            if _progress(game) == "open" and towers == ["w"]:
                break  # magnets decide how it falls, and the kept pictures show this
            session.send(f"new {puzzles.EDITION}")
            wait_for(lambda: _progress(game) is None)
        yield link


def _progress(game):
    return (game.view["puzzle"] or {}).get("progress")


def test_a_puzzle(look, looks, puzzle_link):
    page = opened(look, looks, puzzle_link)
    expect(page.locator("#virtual .puzzle[data-progress=open]")).to_be_visible()
    expect(page.locator("#owed")).to_be_visible()
    page.wait_for_timeout(GLIDE_MS)
    looks.compare(page, "puzzle")


#: Steps of a calibration, with the values of their texts (words/en.toml, `maintenance`).
STEPS = {
    "draw": {"percent": 40},
    "lay": {"laid": 2, "wanted": 5},
    "calibrated": {"seen": 371, "sensors": 373, "doubt": 0.4, "diameter": 34.1, "thickness": 6.0},
}


def test_the_calibration(look, looks, played_here):
    """Its steps as the server tells them; how far a disc was drawn would differ each time."""
    page = opened(look, looks, played_here[0])
    expect(page.locator("#owed")).to_be_visible()
    for step, values in STEPS.items():
        told = {
            "what": "calibrate", "step": step, "values": values, "over": step == "calibrated",
            "seen": [*range(150)],
        }  # fmt: skip
        page.evaluate(
            """async (told) => (await import("mat/live.js")).page.link.onMessage(
                { k: "tick", maintenance: told })""",
            told,
        )
        expect(page.locator(f"#maintenance [data-step={step}]")).to_be_visible()
        looks.compare(page, f"calibration {step}")


@pytest.mark.parametrize("view", ["overlay", "tv", "stats", "record", "file"])
def test_what_is_shown_elsewhere(look, looks, played_here, view, tmp_path):
    link, session, _ = played_here
    fault = next(e for e in session.state.whole()["events"] if e["fields"].get("code") == "fault")
    api = f"{link}api/v1/"
    where = {
        "overlay": f"{link}static/overlay.html?lang=en",
        "tv": f"{link}static/overlay.html?tv&lang=en",
        "stats": f"{api}stats.html?all=1",
        "record": f"{api}games/1/record.html",
        "file": f"{api}games/1/slow/{fault['n']}.html",
    }[view]
    page = opened(look, looks, "about:blank", errors=False)  # exported pages have no icon
    if view in ("record", "file"):  # which a browser saves
        file = tmp_path / "saved.html"
        file.write_bytes(page.request.get(where).body())
        where = file.as_uri()
    page.goto(where)
    if view in ("overlay", "tv"):
        expect(page.locator("#ruling")).not_to_be_empty()
    page.wait_for_timeout(GLIDE_MS)
    looks.compare(page, view)


def test_a_broken_layout_fails(look, played_here):
    kept = Image.open(KEPT / "game-desktop.png")
    for change in ("body", "aside"):  # an element whose box is gone
        page = look(played_here[0], *SIZES["desktop"])
        expect(page.locator("#owed")).to_be_visible()
        page.evaluate(f"document.querySelector('{change}').style.display = 'contents'")
        page.wait_for_timeout(GLIDE_MS)
        assert far_share(small(page.screenshot()), kept) > 2 * MOST_FAR
