"""Every view at three sizes, compared with a kept picture, so that a broken layout fails.

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

from tests.live.conftest import SHOTS

KEPT = Path(__file__).parent / "kept"
SHARE = 12  # pixels of a screenshot to one of its picture
FAR = 24  # levels of grey by which a part of a picture is another one
MOST_FAR = 0.02  # of the picture
SIZES = {"desktop": (1920, 1080), "laptop": (1366, 768), "phone": (390, 844)}


def opened(page, view):
    if view == "slow":
        page.locator("#story li[data-code=fault] button.open").click()
        page.locator("#story .slow").click()
        expect(page.locator("#slow .said")).to_be_visible()
    elif view != "page":
        page.locator(f"#{view}").click()
        expect(page.locator("dialog[open]")).to_be_visible()


def small(png):
    picture = Image.open(io.BytesIO(png)).convert("L").filter(ImageFilter.BoxBlur(SHARE // 2))
    return picture.resize((picture.width // SHARE, picture.height // SHARE), Image.Resampling.BOX)


def far_share(a, b):
    """How much of two pictures is not the same, from 0 to 1."""
    far = ImageChops.difference(a, b).point(lambda level: 255 * (level > FAR))
    return ImageStat.Stat(far).mean[0] / 255


@pytest.fixture
def seen(look, played_here):
    """Takes the picture of a view."""

    def take(view, size, dark, change=""):
        page = look(played_here[0], *SIZES[size], dark=dark)
        expect(page.locator("#owed")).to_be_visible()
        if change:
            page.evaluate(f"document.querySelector('{change}').style.display = 'contents'")
        page.wait_for_timeout(700)  # the pieces glide to where they are
        opened(page, view)
        page.wait_for_timeout(300)
        return page.screenshot(animations="disabled")

    return take


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", ["page", "game", "help", "slow"])
def test_a_view_looks_as_it_did(seen, view, size):
    dark = size == "laptop"  # one of the sizes
    file = KEPT / f"{view}-{size}.png"
    png = seen(view, size, dark)
    SHOTS.mkdir(parents=True, exist_ok=True)
    (SHOTS / f"look-{view}-{size}.png").write_bytes(png)
    found = small(png)
    if "POLARITY_KEEP" in os.environ:
        found.save(file, optimize=True)
    kept = Image.open(file)
    assert found.size == kept.size
    assert far_share(found, kept) < MOST_FAR, f"{file.name}: see the module's first lines"


def test_a_broken_layout_fails(seen):
    kept = Image.open(KEPT / "page-desktop.png")
    for change in ("body", "aside"):  # an element whose box is gone
        share = far_share(small(seen("page", "desktop", False, change)), kept)
        assert share > 2 * MOST_FAR
