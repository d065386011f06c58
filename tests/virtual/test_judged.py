"""Hands on the virtual mat, and what the firmware's engine makes of the counts."""

import pytest

from polarity_host import engine_host
from polarity_host.errors import HostError
from polarity_host.mat import load_mat
from polarity_host.sim import power
from polarity_host.sim.game import SimGame
from polarity_host.virtual.game import VirtualGame

EDITION = "temple+starting_point"


class Judged:
    """A VirtualGame whose frames go to an engine; what that says is kept."""

    def __init__(self, edition=EDITION, seed=3):
        self.engine = engine_host.build_engine("standard", edition)
        self.game = VirtualGame(seed, load_mat("standard"), edition=edition)
        self.game.engine = self.engine
        self.frames = self.game.frames()
        self.said = []

    def do(self, seconds, do=None, **fields):
        if do:
            self.game.inputs.put({"do": do, "hand": "h", **fields})
        for _ in range(round(seconds * 100)):
            t_us, counts = next(self.frames)
            self.engine.frame(t_us // 1000, engine_host.raw_counts(counts))
            for message in engine_host.spoken(self.engine):
                if message.kind in ("fact", "ruling"):
                    self.said.append(message.fields.get("code") or message.fields["f"])

    def carry(self, side, x, y, z=0.0, **lean):
        self.do(0.1, "take", side=side)
        self.do(0.7, "move", x=x, y=y, z=60.0)
        self.do(0.4, "move", x=x, y=y, z=z, **lean)

    def lay(self, side, x, y):
        self.carry(side, x, y)
        self.do(0.5, "release")


@pytest.fixture
def judged():
    """Red lies black side up, and a foundation of each colour."""
    game = Judged()
    game.do(1.1)
    game.carry("red", 0, 0, 60.0)
    game.do(0.5, "flip")
    game.do(0.5, "move", z=0.0)
    game.do(0.5, "release")
    for side, x, y in (("w", 80, -60), ("b", -80, 60)):
        game.lay(side, x, y)
    return game


def test_a_leaner_stands_and_one_dropped_beside_a_foundation_is_a_fault_by_contact(judged):
    assert judged.said[-1] == "setup_done"
    judged.carry("w", 80 + 50, -60, tilt=38.0, azimuth=0.0)
    judged.do(1.0)
    judged.do(1.2, "release")
    assert judged.said[-1] == "leaner_placed"
    judged.carry("b", -80, 100)  # his own colour pushes it away when it is let go: no fault
    judged.do(1.2, "release")
    assert "fault" not in judged.said
    body = judged.game.stage.bodies[-1]
    judged.do(0.1, "grab", body=body.id)
    judged.do(0.6, "move", x=15.0, y=-60.0, z=60.0)
    judged.do(0.4, "move", x=15.0, y=-60.0, z=0.0)
    judged.do(0.6, "move", x=35.0, y=-60.0)
    judged.do(1.5, "release")
    assert [kind for _, kind, _ in judged.game.stage.events][-1] == "kiss"
    assert "contact" in judged.said and "fault" in judged.said
    assert judged.engine.referee.state()["owed"][0][0] == "w"
    group = next(b for b in judged.game.stage.bodies if len(judged.game.stage.touching(b)) > 1)
    judged.do(1.2, "grab", body=group.id, gather=True)
    judged.do(0.8, "move", x=60.0, y=110.0, z=60.0)
    if group.face < 0:
        judged.do(0.6, "flip")
    judged.do(1.5, "set_down")
    assert judged.said[-1] == "captured"
    assert judged.engine.referee.state()["owed"] == []


def test_a_disc_that_meets_the_red_one_ends_the_game(judged):
    judged.carry("w", 75, 10)
    judged.do(0.6, "move", x=46.0, y=6.0, z=0.0)  # pushed along the mat: red jumps at it
    judged.do(1.5, "release")
    assert judged.engine.referee.state()["outcome"] == ["touched_red", "b"]


def test_the_table_is_set_and_the_opponent_plays_its_turn():
    game = Judged(seed=5)
    game.do(1.2)
    game.do(6.0, "set_up")
    assert game.engine.referee.state()["phase"] == "play"
    game.do(7.0, "opponent", side="w", on=True)
    assert game.engine.referee.state()["done"] and game.engine.referee.state()["active"] == "w"
    assert {"hand_in", "placed"} <= set(game.said)
    game.engine.command(b"new temple\n")  # a new game: the table is cleared for it
    game.do(0.2)
    assert game.game.view["bodies"] == [] and sum(game.game.view["reserves"].values()) == 53


def test_a_url_names_a_virtual_mat_that_a_port_opens():
    url = f"sim://virtual?seed=4&speed=0&edition={EDITION}&boot=8"
    assert SimGame.from_url(url).edition == EDITION
    try:
        game = power.virtual_at(url)
        mat = power.mat_at(url)
        mat.attach()
        game.inputs.put({"do": "take", "hand": "", "side": "b"})
        while not game.view.get("hands"):
            mat.read(4096, 0.01)
        assert game.view["reserves"] == {"w": 26, "b": 25, "red": 1}
    finally:
        power.remove(url)
    assert power.virtual_at("sim://demo?seed=77") is None
    power.remove("sim://demo?seed=77")
    with pytest.raises(HostError):
        power.virtual_at("sim://virtual?wings=2")
