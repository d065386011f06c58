"""The page over TLS, installed as an application, and opened while the server is gone."""

import datetime
import ipaddress
import json
import ssl
import urllib.request

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import expect
from websockets.sync.client import connect

from polarity_host.errors import BAD_INPUT
from polarity_host.live.page import STATIC
from tests.live import browser as chromium
from tests.live.conftest import shot
from tests.live.icons import drawn


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for 127.0.0.1 that nobody has signed, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "polarity")])
    today = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - datetime.timedelta(1))
        .not_valid_after(today + datetime.timedelta(1))
        .add_extension(here, critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "mat.pem"
    pem = serialization.Encoding.PEM
    path.write_bytes(
        made.public_bytes(pem)
        + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return path


@pytest.fixture
def phone(chrome, chrome_path, tmp_path):
    """A browser with a profile, which trusts any certificate, as a phone does that has ours."""
    context = chrome.browser_type.launch_persistent_context(
        tmp_path / "profile", executable_path=chrome_path, locale="en-GB", has_touch=True,
        args=[*chromium.FLAGS, "--ignore-certificate-errors"],
        viewport={"width": 390, "height": 844},
    )  # fmt: skip
    yield context
    context.close()


def test_a_phone_installs_it_over_tls_and_opens_it_without_the_server(
    phone, serve_scripted, certificate
):
    tls = (certificate, certificate)
    link, *_ = serve_scripted(host="0.0.0.0", tls=tls)
    assert link.startswith("https://") and "?token=" in link
    with connect(
        link.replace("https", "wss", 1).replace("/?", "/api/v1/live?"),
        ssl=ssl._create_unverified_context(),
        additional_headers={"Authorization": f"Bearer {link.split('=')[1]}"},
        open_timeout=30,  # as long as is waited for what it says
    ) as socket:
        assert json.loads(socket.recv(30))["k"] == "state"
    page = phone.new_page()
    page.goto(link)
    expect(page.locator("#owed")).to_be_visible()
    assert all(cookie["secure"] for cookie in phone.cookies())
    browser = phone.new_cdp_session(page)
    assert browser.send("Page.getInstallabilityErrors") == {"installabilityErrors": []}
    manifest = json.loads(browser.send("Page.getAppManifest")["data"])
    page.evaluate("navigator.serviceWorker.ready")
    phone.clear_cookies()  # as an application that shares none with the browser
    page.goto(link.split("?")[0].rstrip("/") + manifest["start_url"])
    expect(page.locator("#owed")).to_be_visible()
    phone.set_offline(True)
    page.reload()
    expect(page.locator("#port")).to_contain_text("The program has stopped")
    shot(page, "installed-offline")
    phone.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#owed")).to_be_visible()


def test_a_spectator_s_application_starts_as_a_spectator(serve_url, certificate):
    tls = (certificate, certificate)
    *_, server = serve_url("sim://virtual?seed=42", host="0.0.0.0", tls=tls)
    (link, *_) = server.spectator_links
    token = link.split("=")[1]
    asked = urllib.request.Request(
        server.links[-1].split("?")[0] + "manifest.json",
        headers={"Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(asked, context=ssl._create_unverified_context()) as answer:
        assert json.load(answer)["start_url"] == f"/?token={token}"


def test_what_is_no_certificate_is_refused_in_one_line(polarity, tmp_path):
    none = tmp_path / "none.pem"
    for text in (None, "no certificate"):
        if text:
            none.write_text(text)
        code, _, err = polarity("live", "virtual", "--cert", none, "--http", 0, "--no-browser")
        assert code == BAD_INPUT and len(err.splitlines()) == 1 and "PEM" in err


def test_the_icon_is_that_of_the_drawing(chrome, tmp_path):
    (tmp_path / "icon.png").write_bytes(drawn(chrome))
    found, kept = (
        Image.open(path).convert("RGB") for path in (tmp_path / "icon.png", STATIC / "icon-512.png")
    )
    difference = ImageStat.Stat(ImageChops.difference(found, kept)).mean
    assert found.size == kept.size and max(difference) < 1, "python -m tests.live.icons"
