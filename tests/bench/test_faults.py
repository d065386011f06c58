"""The campaign against the mat's promises: it runs, holds, and finds what it is there to find."""

import json
from random import Random

import pytest

from drivers import flash_store
from polarity_bench.faults import campaign, files, hostile, power, wire
from polarity_bench.faults.mutations import damaged, mutated
from polarity_bench.measurements import FAULT_PARTS
from polarity_host.device import link
from polarity_host.errors import DONE
from polarity_host.wire.lines import Message, decode


def test_each_length_has_every_part():
    assert tuple(campaign.PARTS) == FAULT_PARTS
    assert all(tuple(counts) == FAULT_PARTS for counts in campaign.LENGTHS.values())


@pytest.mark.parametrize("part", ["power", "wire", "files", "facts", "page", "sick"])
def test_what_is_promised_holds(polarity, part):
    code, out, err = polarity(
        "bench", "faults", "--only", part, "--length", "tests", "--seed", "5", "--json"
    )
    figures = json.loads(out)
    assert (code, err, figures["details"]) == (DONE, "", [])
    assert figures["held"] is True


def test_a_store_that_trusts_what_it_reads_is_found(monkeypatch):
    """Without its checksum a cut is taken for a record."""
    monkeypatch.setattr(flash_store, "crc32", lambda *_: 0)
    assert power.run(400, 5)["kept_wrong"] > 0


def test_a_link_that_forgets_a_boot_is_found(monkeypatch):
    monkeypatch.setattr(link, "MOST_BOOTS", 0)
    figures = wire.run(4000, 1)
    assert figures["wire_tracebacks"] and "UNIQUE" in figures["details"][0]


def test_a_text_that_breaks_its_reader_is_found(monkeypatch):
    monkeypatch.setattr(files, "record_of", lambda text: text.no_such_thing)
    figures = files.run(7, 1)
    assert figures["tracebacks"] == 1 and "AttributeError" in figures["details"][0]


def test_hostile_lines_are_no_part_of_the_record_and_many_are_messages():
    draw = Random(1)
    found = [decode(hostile.line(draw).rstrip(b"\n")) for _ in range(2000)]
    messages = [item for item in found if isinstance(item, Message)]
    assert len(messages) > 200
    assert not any(m.boot == hostile.OWN_BOOT and m.numbered for m in messages)


def test_damage_changes_something_each_time():
    draw = Random(1)
    value = {"a": [1, 2, {"b": "c"}]}
    changed = [mutated(value, draw) for _ in range(200)]
    assert value == {"a": [1, 2, {"b": "c"}]}
    assert sum(one != value for one in changed) > 150
    assert all(damaged(b"some bytes", draw) != b"some bytes" for _ in range(200))
