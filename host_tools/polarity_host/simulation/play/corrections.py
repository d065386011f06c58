"""After a correction that takes moves back, the discs lie again where the referee has them."""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from polarity.facts import RED, letter
from polarity.rules.position import Position
from polarity_host.simulation.players.motions import Script

from .body import RESTING
from .snapshot import Seen, Snapshot, as_seen
from .world import World

SNAPSHOTS = 64
LIFTS_S, LEAVES_S = 0.6, 0.8
BEYOND_MM = 105.0  # of the circle: where discs leave
SAME_MM = 25.0  # largest error of the place that the referee reports for a piece


class CorrectedReferee(Protocol):
    """The part of the engine's referee that tells of corrections."""

    @property
    def position(self) -> Position: ...

    @property
    def verdicts(self) -> dict[int, int]: ...


class Corrections:
    """Watches one game. `look` wants to be called often; it stores what lies still."""

    def __init__(self, world: World):
        self._world = world
        self._verdicts: dict[int, int] = {}
        self._snapshots: deque[Snapshot] = deque(maxlen=SNAPSHOTS)
        self._moved = True  # since the last snapshot

    def forget(self) -> None:
        """Another game begins."""
        self._verdicts = {}
        self._snapshots.clear()

    def look(self, referee: CorrectedReferee) -> Script | None:
        """After a correction that took moves back: the script that puts the discs back where they
        were before. It lifts what goes, as a person would: a mat that lost it from one frame to
        the next would look for it."""
        corrected = _differs(self._verdicts, referee.verdicts)
        self._verdicts = dict(referee.verdicts)
        if corrected:
            return self._put_back(pieces_of(referee.position))
        moved = any(not body.still for body in self._world.bodies)
        if self._moved and not moved:
            self._snapshots.append(self._world.snapshot())
        self._moved = moved
        return None

    def _put_back(self, wanted: Sequence[Seen]) -> Script | None:
        world = self._world
        now = [as_seen(body) for body in world.bodies if body.state in RESTING]
        held = any(hand.body for hand in world.hands.values())
        if same(now, wanted) and not held:
            return None
        for snapshot in reversed(self._snapshots):
            if same([pose.seen for pose in snapshot.lying], wanted):
                return self._restore(snapshot)
        return None

    def _restore(self, snapshot: Snapshot) -> Script:
        world = self._world
        hands = world.restore(snapshot)
        yield from self._wait(LIFTS_S)
        for hand in hands:
            x, y, z = hand.goal
            share = (world.mat.circle_radius_mm + BEYOND_MM) / max(math.hypot(x, y), 1.0)
            hand.aim(x * share, y * share, z)
        yield from self._wait(LEAVES_S)
        for hand in hands:
            world.put_back(hand)
            world.remove_hand(hand.name)
        world.free()

    def _wait(self, seconds: float) -> Script:
        for _ in range(round(seconds * self._world.mat.frame_hz)):
            yield


def pieces_of(position: Position) -> list[Seen]:
    """What lies on the mat by the rulings."""
    found = [
        (p.kind, letter(p.face), p.discs, p.x_cmm / 100.0, p.y_cmm / 100.0)
        for p in position.pieces.values()
    ]
    if position.edition["red"] and position.phase != "red_disc":
        x_cmm, y_cmm = position.red_cmm
        found.append((RED, "", 1, x_cmm / 100.0, y_cmm / 100.0))
    return found


def same(lying: Sequence[Seen], wanted: Sequence[Seen]) -> bool:
    """Whether these are the same pieces at the same places."""
    left = list(lying)
    for piece in wanted:
        found = [
            seen for seen in left if seen[:3] == piece[:3] and _apart_mm(seen, piece) < SAME_MM
        ]
        if not found:
            return False
        left.remove(min(found, key=lambda seen: _apart_mm(seen, piece)))
    return not left


def _apart_mm(a: Seen, b: Seen) -> float:
    return math.dist(a[3:], b[3:])


def _differs(before: Mapping[int, int], now: Mapping[int, Any]) -> bool:
    """Whether a verdict was added or changed; old ones are forgotten in time."""
    return any(before.get(number) != verdict for number, verdict in now.items())
