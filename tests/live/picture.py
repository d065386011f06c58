"""Makes the README's picture: the live page in a game of the digital twin.

`make picture`, or `python -m tests.live.picture [FILE]`. The game is played as fast as it can be
up to a moment with leaners and towers in which discs have touched, so the same picture comes out
each time, but for the fonts of the computer it is made on.
"""

import base64
import sys
import tempfile
from pathlib import Path

from polarity_host.device.link import PortState
from polarity_host.live.live_state import LiveState
from polarity_host.live.server import LiveServer
from polarity_host.replay.engine import build_engine, raw_counts, sent_messages
from polarity_host.simulation.port.address import SimGame
from polarity_host.simulation.port.game_source import GameSource
from tests.live import browser as chromium

FILE = Path(__file__).resolve().parents[2] / "docs" / "live.webp"
GAME = "sim://game?seed=3&turns=40"
LEAST_LEANERS, LEAST_TOWERS = 6, 3
AFTER_MS = 1700  # after the fault: by then its evidence is complete, and slow motion is offered
WIDTH, HEIGHT, SCALE = 1280, 880, 1.5
QUALITY = 80  # of WebP, percent
MOST_BYTES = 150_000
#: How many pixels of the list of rulings show a part of a ruling only.
CUT_PX = """() => {
    const list = document.querySelector("#story ol"), end = list.getBoundingClientRect().bottom;
    const whole = [...list.children].map((item) => item.getBoundingClientRect().bottom);
    return Math.ceil(end - Math.max(...whole.filter((bottom) => bottom <= end + 1)));
}"""


def at_the_fault() -> LiveState:
    """The live state of the game a moment after the fault; its clock stands still."""
    state = LiveState(clock=lambda: 0.0)
    state.handle(PortState("open"))
    game = GameSource(SimGame.from_url(GAME))
    engine = build_engine(game.mat.id, boot_id=1)
    engine.command(b"hello\nframes on\nflight on\n")
    fault_ms = None
    for t_us, counts in game.frames():
        t_ms = t_us // 1000
        engine.frame(t_ms, raw_counts(counts))
        for message in sent_messages(engine):
            state.handle(message)
            if fault_ms is None and message.kind == "ruling" and is_the_fault(state):
                fault_ms = t_ms
        if fault_ms is not None and t_ms >= fault_ms + AFTER_MS:
            return state
    sys.exit(f"{GAME}: no such moment; choose another seed")


def is_the_fault(state: LiveState) -> bool:
    """Whether the last event is a fault of the kind that the picture shows."""
    whole = state.whole()
    last = whole["events"][-1]["fields"]
    shapes = [piece[1] for piece in whole["pieces"]]
    return (
        (last.get("code"), last.get("why")) == ("fault", "contact")
        and any(len(ids) > 1 for _, ids in whole["game"]["owed"])
        and shapes.count("leaner") >= LEAST_LEANERS
        and shapes.count("tower") >= LEAST_TOWERS
    )


def make(path: Path) -> None:
    """Writes the picture. Exits with a message when there is no Chromium or it is too large."""
    from playwright.sync_api import sync_playwright

    executable = chromium.found()
    if not executable:
        sys.exit("no Chromium: run python tests/live/browser.py")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = LiveServer(at_the_fault(), lambda command: None, Path(folder) / "games", port=0)
        server.in_background()
        browser = playwright.chromium.launch(executable_path=executable, args=[*chromium.FLAGS])
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE,
            color_scheme="light", locale="en-GB",
        )  # fmt: skip
        page.goto(server.links[0])
        page.locator("#story [data-code=fault] button").first.click()
        page.locator("#story .more .slow").wait_for()
        page.mouse.move(0, 0)
        height = HEIGHT - page.evaluate(CUT_PX)
        page.set_viewport_size({"width": WIDTH, "height": height})
        page.wait_for_timeout(1000)  # until the pieces have glided to their places
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": SCALE}
        shot = page.context.new_cdp_session(page).send(  # Playwright itself knows no WebP
            "Page.captureScreenshot", {"format": "webp", "quality": QUALITY, "clip": clip}
        )
        picture = base64.b64decode(shot["data"])
        browser.close()
        server.stop()
    if len(picture) > MOST_BYTES:
        sys.exit(f"the picture has {len(picture)} bytes, more than {MOST_BYTES}: lower QUALITY")
    path.write_bytes(picture)
    print(f"{path}: {len(picture)} bytes")


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
