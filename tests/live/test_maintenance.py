"""Doctor and calibration led from the page, on the twin's mats."""

import json
from functools import partial

import numpy as np
from playwright.sync_api import expect

from polarity_host.live.maintenance import MOST_WAITING, LinkConversation
from polarity_host.mats.description import load_mat
from polarity_host.simulation.port import power
from polarity_host.simulation.twin.nuisances import USUAL, condition
from polarity_host.simulation.twin.sensors import SensorArray
from polarity_host.wire.messages import AckMessage
from tests.live.conftest import shot
from tests.live.pixels import pixel
from tests.live.test_server import ask
from tests.made_messages import made_message
from tests.waiting import wait_for

# in real time: a mat that judges as fast as it can leaves the page little of a slow computer
BROKEN = "sim://calibration?nuisances=broken&speed=1&seed=8"
SMALL = "sim://calibration?mat=small&seed=14&speed=0"


def begin(page, what):
    page.locator("#game").click()
    page.locator(f"#menu [data-maintenance={what}]").click()


def shows_red(page, xy_mm):
    red, green, blue = pixel(page, *xy_mm)
    return red > green + 60 and red > blue + 60


def test_the_doctor_shows_on_the_mat_what_is_broken(look, serve_url):
    mat = load_mat("standard")
    array = SensorArray(mat, 8, condition("broken"))
    broken = sorted([*array.dead.tolist(), *array.stuck.tolist()])
    link, session, _ = serve_url(BROKEN)
    page = look(link)
    expect(page.locator("#port")).to_contain_text("Mat connected")
    begin(page, "doctor")
    expect(page.locator("#maintenance li").nth(len(broken) - 1)).to_be_visible()
    for tile in mat.tiles:
        if set(broken) & {index for index, _ in tile.sensors}:
            expect(page.locator("#maintenance")).to_contain_text(f"Tile {tile.name}, U1")
    shot(page, "doctor")
    page.locator("#language").select_option("fr")
    expect(page.locator("#maintenance li").first).to_contain_text("Carreau ")
    expect(page.locator("#maintenance li").first).to_contain_text("capteur ")
    for index in broken:
        wait_for(partial(shows_red, page, mat.sensor_xyz_mm[index, :2]))
    page.locator("#maintenance .stop").click()
    expect(page.locator("#maintenance")).not_to_be_visible()
    wait_for(lambda: not session.state.whole()["maintenance"])


def test_a_mat_is_calibrated_from_the_page_and_keeps_it(look, serve_url):
    slow = SMALL.replace("speed=0", "speed=1")  # faster, a busy computer takes not all frames
    link, session, _ = serve_url(slow)
    mat = power.mat_at(slow)
    page = look(link, 390, 844)
    expect(page.locator("#port")).to_contain_text("Mat connected")
    begin(page, "calibrate")
    expect(page.locator("#maintenance [data-step=draw]")).to_contain_text("Draw one disc")
    wait_for(lambda: len((session.state.whole()["maintenance"] or {}).get("seen", ())) > 40)
    shot(page, "calibrate-phone")
    page.locator("#language").select_option("nl")
    expect(page.locator("#maintenance h2")).to_contain_text("Kalibreren")
    expect(page.locator("#maintenance [data-step=calibrated]")).to_be_visible(timeout=400_000)
    expect(page.locator("#maintenance .now")).to_contain_text("van 121 sensoren")
    wait_for(lambda: "calibration" in mat.engine.persistence.unsaved)
    put_right = np.array(mat.engine.game.tracker.scene.field.gain, float)
    true = SensorArray(load_mat("small"), 14, condition(USUAL)).gain
    assert np.corrcoef(put_right, 1 / true)[0, 1] > 0.9


def test_one_task_at_a_time_and_the_mat_judges_again_when_it_stops(serve_url):
    link, session, _ = serve_url(SMALL.replace("seed=14", "seed=15"))
    engine = power.mat_at(session.url).engine
    for wrong in ({}, [], {"do": "calibrate it"}, {"do": ["stop"]}):
        assert ask(link, "/api/v1/maintenance", wrong)[0] == 400
    assert (
        ask(link, "/api/v1/maintenance", {"do": "doctor"}, Origin="http://evil.example")[0] == 403
    )
    assert ask(link, "/api/v1/maintenance", {"do": "calibrate"})[0] == 202
    wait_for(lambda: engine.telemetry.only_frames)
    assert ask(link, "/api/v1/maintenance", {"do": "doctor"})[0] == 409
    assert ask(link, "/api/v1/maintenance", {"do": "stop"})[0] == 202
    wait_for(lambda: not engine.telemetry.only_frames)
    assert json.loads(ask(link, "/api/v1/state")[1])["maintenance"] is None


def test_a_port_that_goes_ends_it_and_the_page_says_so(serve_scripted, serve_url):
    link, session, mat = serve_scripted()
    session.maintenance.start("doctor")  # the scripted mat has played its frames: none come
    wait_for(lambda: session.state.whole()["maintenance"]["step"] == "bare")
    mat.unplug()
    wait_for(lambda: session.state.whole()["maintenance"]["step"] == "failed")
    told = session.state.whole()["maintenance"]
    assert told["over"] and "disappeared" in told["values"]["why"]["en"]


def test_an_answer_is_not_lost_behind_frames_that_nobody_reads():
    conversation = LinkConversation(lambda command: None)
    for number in range(MOST_WAITING + 10):
        conversation.handle(made_message("frame", number))
    conversation.handle(made_message("health", 0))  # no task waits for these
    conversation.handle(made_message("ack", 0, cmd="frames only", ok=True))
    received = [conversation.receive() for _ in range(MOST_WAITING + 2)]
    assert [message.number for (message,) in received[:MOST_WAITING]] == list(range(MOST_WAITING))
    ((answer,), nothing) = received[MOST_WAITING:]
    assert answer.body == AckMessage("frames only", True, "") and nothing == []
    conversation.handle(made_message("frame", 7))  # there is room again
    assert [message.number for message in conversation.receive()] == [7]
