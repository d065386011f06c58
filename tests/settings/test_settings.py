"""A mat's settings: what is taken, refused with the reason, told and kept."""

import json

import pytest

from polarity import mat_data
from polarity.engine import Engine
from polarity.settings import DEFAULTS, NAMES, SUMS, read
from polarity_host.mats.description import mat_names
from polarity_host.replay.engine import sent_messages

AS_MADE = {"mat": "standard", "edition": "", "brightness": 96, "port_ma": 500, "oversample": 0}


@pytest.fixture
def engine():
    engine = Engine(mat_data.load("standard"), "temple", 1, settings=dict(DEFAULTS))
    list(sent_messages(engine))
    return engine


def said(engine, line):
    engine.command(line.encode() + b"\n")
    return list(sent_messages(engine))


def test_every_mat_can_be_chosen():
    assert sorted(SUMS) == sorted(mat_names())
    assert set(NAMES) == set(DEFAULTS) == set(AS_MADE) and DEFAULTS == AS_MADE


@pytest.mark.parametrize(
    "kept, changes",
    [
        (None, {}),
        ({}, {}),
        ({"mat": "small", "edition": "temple+starting_point"},) * 2,
        ({"brightness": 1, "port_ma": 1500},) * 2,
        ({"oversample": 4},) * 2,
        ({"oversample": 16, "mat": "small"},) * 2,
    ],
)
def test_what_was_kept_holds_and_the_rest_is_as_made(kept, changes):
    assert read(kept if kept is None else json.dumps(kept).encode()) == (AS_MADE | changes, "")


@pytest.mark.parametrize(
    "kept, told",
    [
        (b"", "no JSON object"),
        (b"\xff{", "no JSON object"),
        (b"[1]", "no JSON object"),
        (b"[" * 100_000, "no JSON object"),
        (b'{"version":2,"mat":"small"}', "are of another version"),
        (b'{"version":"1","mat":"small"}', "are of another version"),
        (b'{"brightness":"64"}', "brightness must be a number from 1 to 255"),
        (b'{"brightness":true}', "brightness must be a number from 1 to 255"),
        (b'{"port_ma":501.5}', "port_ma must be a number from 500 to 1500"),
        (b'{"port_ma":3000}', "port_ma must be a number from 500 to 1500"),
        (b'{"mat":"large"}', "mat must be standard or small"),
        (b'{"mat":["small"]}', "mat must be standard or small"),
        (b'{"edition":"chess"}', "edition must be temple, fourlang, original, scaled or default"),
        (b'{"edition":1}', "edition must be temple, fourlang, original, scaled or default"),
        (b'{"oversample":16}', "oversample must be 4, 8 or default on the mat standard"),
        (b'{"oversample":"4"}', "oversample must be 4, 8 or default on the mat standard"),
        (b'{"colour":"red"}', "no setting is called colour"),
    ],
)
def test_what_was_kept_and_is_no_good_is_told_and_is_as_made(kept, told):
    chosen, complaint = read(kept)
    assert chosen == AS_MADE and told in complaint


def test_one_bad_setting_leaves_the_others():
    chosen, complaint = read(b'{"brightness":0,"mat":"small","port_ma":"x"}')
    assert chosen == AS_MADE | {"mat": "small"}
    assert "brightness" in complaint and "port_ma" in complaint


def test_a_setting_is_changed_told_and_to_be_kept(engine):
    log, told, ack = said(engine, "set port_ma 1500")
    assert (log.kind, told.kind, ack.kind) == ("log", "settings", "ack")
    assert log.body.text == "the setting port_ma is 1500 from the next start on"
    assert {name: getattr(told.body, name) for name in NAMES} == AS_MADE | {"port_ma": 1500}
    assert (told.body.later, told.body.kept, ack.body.ok) == (
        ("port_ma",),
        False,
        True,
    )
    assert read(engine.persistence.unsaved["settings"]) == (AS_MADE | {"port_ma": 1500}, "")
    engine.persistence.stored("settings")  # as the loop does
    told, _ = said(engine, "settings")
    assert (told.body.later, told.body.kept) == (("port_ma",), True)


def test_brightness_counts_at_once(engine):
    log, told, _ = said(engine, "set brightness 7")
    assert log.body.text == "the setting brightness is 7"
    assert told.body.later == () and engine.persistence.settings["brightness"] == 7


def test_what_is_so_already_is_not_kept_again(engine):
    told, ack = said(engine, "set brightness 96")
    assert told.body.kept and ack.body.ok and not engine.persistence.unsaved


def test_default_is_what_the_mat_was_made_with(engine):
    for line in ("set edition original", "set oversample 4", "set brightness 9"):
        said(engine, line)
    assert engine.persistence.settings == AS_MADE | {
        "edition": "original",
        "oversample": 4,
        "brightness": 9,
    }
    for name in NAMES:
        said(engine, f"set {name} default")
    assert engine.persistence.settings == AS_MADE


@pytest.mark.parametrize(
    "line, why",
    [
        ("set", "argument"),
        ("set brightness", "argument"),
        ("set brightness 1 2", "argument"),
        ("set brightness bright", "brightness must be a number from 1 to 255"),
        ("set brightness 256", "brightness must be a number from 1 to 255"),
        ("set brightness -1", "brightness must be a number from 1 to 255"),
        ("set port_ma 99999999999999999999999", "port_ma must be a number from 500 to 1500"),
        ("set mat 7", "mat must be standard or small"),
        ("set edition", "argument"),
        ("set edition 0", "edition must be temple, fourlang, original, scaled or default"),
        ("set oversample 16", "oversample must be 4, 8 or default on the mat standard"),
        ("set colour red", "no setting is called colour"),
        ("set colour default", "no setting is called colour"),
    ],
)
def test_a_refusal_says_why_and_changes_nothing(engine, line, why):
    (ack,) = said(engine, line)
    assert (ack.body.ok, ack.body.why) == (False, why)
    assert engine.persistence.settings == AS_MADE and not engine.persistence.unsaved


def test_a_mat_that_cannot_sum_so_much_is_not_chosen(engine):
    said(engine, "set oversample 4")
    (ack,) = said(engine, "set mat small")
    assert ack.body.why == "oversample must be 8, 16 or default on the mat small"
    assert engine.persistence.settings["mat"] == "standard"


def test_a_virtual_mat_tells_what_it_is():
    engine = Engine(mat_data.load("small"), "scaled", 1)
    list(sent_messages(engine))
    told, _ = said(engine, "settings")
    assert {name: getattr(told.body, name) for name in NAMES} == AS_MADE | {
        "mat": "small", "edition": "scaled"
    }  # fmt: skip
