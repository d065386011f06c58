"""Hands on the virtual mat, and what the firmware's engine makes of the counts."""

import math
from types import SimpleNamespace

import pytest

from polarity_host.errors import HostError
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, raw_counts, sent_messages
from polarity_host.simulation.play.body import BodyState
from polarity_host.simulation.play.hand_game import ByEngine, HandGame
from polarity_host.simulation.port import power
from polarity_host.simulation.port.address import SimGame
from polarity_host.wire.messages import FactMessage, RulingMessage

EDITION = "temple+starting_point"


class Judged:
    """A HandGame whose frames go to an engine; what that says is kept."""

    def __init__(self, edition=EDITION, seed=3):
        self.engine = build_engine("standard", edition)
        self.game = HandGame(seed, load_mat("standard"), edition=edition)
        self.game.judged_by(self.engine)
        self.frames = self.game.frames()
        self.said = []

    def do(self, seconds, do=None, **fields):
        if do:
            self.game.inputs.put({"do": do, "hand": "h", **fields})
        for _ in range(round(seconds * 100)):
            t_us, counts = next(self.frames)
            self.engine.frame(t_us // 1000, raw_counts(counts))
            for message in sent_messages(self.engine):
                if isinstance(message.body, RulingMessage):
                    self.said.append(message.body.code)
                elif isinstance(message.body, FactMessage):
                    self.said.append(message.body.kind)

    def carry(self, side, x, y, z=0.0, **lean):
        self.do(0.1, "take", side=side)
        self.do(0.7, "move", x=x, y=y, z=60.0)
        self.do(0.4, "move", x=x, y=y, z=z, **lean)

    def lay(self, side, x, y):
        self.carry(side, x, y)
        self.do(0.5, "release")

    def set_up(self):
        """Red lies black side up, and a foundation of each colour."""
        self.do(1.1)
        self.carry("red", 0, 0, 60.0)
        self.do(0.5, "flip")
        self.do(0.5, "move", z=0.0)
        self.do(0.5, "release")
        for side, x, y in (("w", 80, -60), ("b", -80, 60)):
            self.lay(side, x, y)


@pytest.fixture
def judged():
    game = Judged()
    game.set_up()
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
    body = judged.game.world.bodies[-1]
    judged.do(0.1, "grab", body=body.id)
    judged.do(0.6, "move", x=15.0, y=-60.0, z=60.0)
    judged.do(0.4, "move", x=15.0, y=-60.0, z=0.0)
    judged.do(0.6, "move", x=35.0, y=-60.0)
    judged.do(1.5, "release")
    assert [kind for _, kind, _ in judged.game.world.events][-1] == "kiss"
    assert "contact" in judged.said and "fault" in judged.said
    assert judged.engine.game.referee.state()["owed"][0][0] == "w"
    group = next(b for b in judged.game.world.bodies if len(judged.game.world.touching(b)) > 1)
    judged.do(1.2, "grab", body=group.id, gather=True)
    judged.do(0.8, "move", x=60.0, y=110.0, z=60.0)
    if group.face < 0:
        judged.do(0.6, "flip")
    judged.do(1.5, "set_down")
    assert judged.said[-1] == "captured"
    assert judged.engine.game.referee.state()["owed"] == []


def test_a_disc_that_meets_the_red_one_ends_the_game(judged):
    judged.carry("w", 75, 10)
    judged.do(0.6, "move", x=46.0, y=6.0, z=0.0)  # pushed along the mat: red jumps at it
    judged.do(1.5, "release")
    assert judged.engine.game.referee.state()["outcome"] == ["touched_red", "b"]


def lying(game):
    """What lies and leans inside the circle, by the world: (shape, colour, discs, x, y)."""
    radius_mm = game.game.mat.circle_radius_mm
    return [
        (b.shape, "w" if b.face > 0 else "b", len(b.discs), *place)
        for b in game.game.world.bodies
        for place in [b.contact if b.shape == "leaner" else b.centre[:2]]
        if b.state is not BodyState.HELD and math.hypot(*b.centre[:2]) - b.radius <= radius_mm
    ]


def unlike(game):
    """The bodies that the engine has not, and the pieces it has besides."""
    pieces = [(p[1], p[2], p[3], p[4] / 100, p[5] / 100) for p in game.engine.game.pieces()]
    missing = []
    for body in lying(game):
        same = [p for p in pieces if p[:3] == body[:3] and math.dist(p[3:], body[3:]) < 6.0]
        if same:
            pieces.remove(same[0])
        else:
            missing.append(body)
    return missing, pieces


def at_rest(game):
    return all(b.still for b in game.game.world.bodies)


def test_two_practice_opponents_play_and_the_engine_knows_every_disc():
    game = Judged(seed=15)
    game.do(1.2)
    game.do(0.1, "set_up")
    state = game.engine.game.referee.state
    until(game, lambda: state()["phase"] == "play", 20)
    for side in "wb":
        game.do(0.1, "opponent", side=side, on=True)
    for turn in range(5):
        until(game, lambda turn=turn: game.said.count("turn") > turn and state()["done"], 30)
        until(game, lambda: at_rest(game), 10)
        game.do(0.5)
        assert unlike(game) == ([], [])
    assert game.said.count("leaner_placed") >= 4 and "irregular" not in game.said
    game.engine.command(b"new temple\n")  # a new game: the table is cleared for it
    game.do(0.2)
    assert game.game.view["bodies"] == [] and sum(game.game.view["reserves"].values()) == 53


def until(game, condition, most_s):
    for _ in range(most_s * 10):
        if condition():
            return
        game.do(0.1)
    assert condition()


def test_a_player_takes_no_other_disc_for_the_one_he_owes():
    game = Judged(seed=6)
    game.do(1.2)
    game.lay("w", 80, -60)
    piece = [7, "flat", "w", 1, 8000, -6000]
    referee = SimpleNamespace(state=lambda: {"pieces": [piece]})
    known = ByEngine(game.game.world, lambda: referee)
    assert known.body_of(7) is game.game.world.bodies[0]
    piece[4:] = 4000, -6000  # the referee believes in a disc where there is none
    assert known.body_of(7) is None


def test_its_recording_will_have_what_really_happened_beside_it():
    game = Judged()
    game.do(1.1)
    game.lay("w", -60, 40)
    assert game.game.truth == []
    game.frames.close()
    truth = game.game.truth
    assert [r["t_us"] for r in truth] == sorted(r["t_us"] for r in truth)
    (laid,) = [r for r in truth if r["k"] == "fact" and r["f"] == "placed"]
    assert (laid["face"], laid["shape"]) == ("w", "flat")
    assert math.dist((laid["x_mm"], laid["y_mm"]), (-60, 40)) < 3.0


def test_a_url_names_a_virtual_mat_that_a_port_opens():
    url = f"sim://virtual?seed=4&speed=0&edition={EDITION}&boot=8"
    assert SimGame.from_url(url).edition == EDITION
    try:
        game = power.hand_game_at(url)
        mat = power.mat_at(url)
        mat.attach()
        game.inputs.put({"do": "take", "hand": "", "side": "b"})
        while not game.view.get("hands"):
            mat.read(4096, 0.01)
        assert game.view["reserves"] == {"w": 26, "b": 25, "red": 1}
    finally:
        power.remove(url)
    assert power.hand_game_at("sim://demo?seed=77") is None
    power.remove("sim://demo?seed=77")
    with pytest.raises(HostError):
        power.hand_game_at("sim://virtual?wings=2")
