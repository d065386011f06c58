"""Makes the icon of the installed page, live/static/icon-512.png, from icon.svg beside it.

`python -m tests.live.icons`. The icon may be cut to a circle (maskable), so it fills the square and
keeps what counts within four fifths of it.
"""

import sys
from typing import TYPE_CHECKING

from polarity_host.live.page import STATIC
from tests.live import browser as chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FILE = STATIC / "icon-512.png"
SIDE_PX = 512


def drawn(browser: "Browser") -> bytes:
    """The icon as PNG."""
    page = browser.new_page(viewport={"width": SIDE_PX, "height": SIDE_PX})
    svg = (STATIC / "icon.svg").read_text(encoding="utf-8")
    page.set_content(f"<style>body{{margin:0;background:#1d2224}}svg{{display:block}}</style>{svg}")
    png = page.screenshot()
    page.close()
    return png


def make() -> None:
    """Writes it. Exits with a message when there is no Chromium."""
    from playwright.sync_api import sync_playwright

    executable = chromium.found()
    if not executable:
        sys.exit("no Chromium: run python tests/live/browser.py")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*chromium.FLAGS])
        FILE.write_bytes(drawn(browser))
        browser.close()


if __name__ == "__main__":
    make()
