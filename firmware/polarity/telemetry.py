"""What a host asks to see beyond the record: frames, bodies in flight, snapshots."""

from array import array
from binascii import b2a_base64
from json import dumps

from .facts import letter
from .game import row, sorted_resting
from .wire.messages import Text, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from .game import Game, Row
    from .health import Counts, Health
    from .perception.body import Body
    from .wire.outbox import Outbox

FRAMES_EVERY_MS = 200  # frames for the field view are sent no faster than this
FLIGHT_EVERY_MS = 33
WAITING_FRAMES = 1
SLOWER = 6  # times as slow while frames wait or are lost, as the next frame is more urgent
SNAP_EVERY_MS = 10000  # while nothing moves; three times that while something does
SNAP_AT_ONCE_MS = 1000  # two snapshots are made at once no faster than this
SNAP_PIECES = 2  # in one step of a snapshot: with what else there is to do, 6 ms on the chip
SLICE_EVERY_FRAMES = 2  # a snapshot's next step is made in one of this many frames
GONE_MS = 1000  # a frames-only host that reads no frame for this long may be gone


class Telemetry:
    """Sends what the host wants to see of `game` to `outbox`; `health` goes with each snapshot."""

    def __init__(self, outbox: "Outbox", game: "Game", health: "Health") -> None:
        self.outbox = outbox
        self.game = game
        self.health = health
        self._frames_wanted = "off"
        self.only_frames = False  # whether the host wants to see frames and nothing is judged
        self._frame_sent_ms = -FRAMES_EVERY_MS
        self._flight_wanted = False
        self._flight_sent_ms = -1  # when bodies in flight were last reported, -1: there are none
        self._snap_sent_ms = 0
        self._snap_at_once_ms = -SNAP_AT_ONCE_MS  # when one was last made at once
        self._steps = None  # of the snapshot that is being made
        self._final = False  # whether a snapshot was due because a result is final now

    # ------------------------------------------------------------------ what the host asks
    def set_frames(self, wanted: str) -> None:
        """`wanted`: "on", "off", or "only", which stops the judging."""
        self._frames_wanted = wanted
        self.only_frames = wanted == "only"

    def set_flight(self, wanted: bool) -> None:
        """Whether bodies in flight are reported."""
        self._flight_wanted = wanted

    def judge_again(self) -> None:
        """Ends "only"."""
        if self.only_frames:
            self.set_frames("off")

    def greet(self, t_ms: int) -> None:
        """A host says hello: where nobody reads frames, another one wanted them."""
        if self.unread_ms(t_ms) > GONE_MS:
            self.judge_again()

    def unread_ms(self, t_ms: int) -> int:
        """How long ago a frame was last put into the outbox: while it waits there, no other is."""
        return t_ms - self._frame_sent_ms

    def ask_snapshot(self, t_ms: int) -> None:
        """Makes a snapshot at once, or, soon after another one, step by step: it takes the chip
        long."""
        if t_ms - self._snap_at_once_ms >= SNAP_AT_ONCE_MS:
            self._snap_at_once_ms = t_ms
            self.snapshot(t_ms)
        else:
            self._snap_sent_ms = t_ms - SNAP_EVERY_MS * 3

    # ------------------------------------------------------------------ what is sent
    def show(self, t_ms: int, counts: "Counts", waiting: int = 0) -> None:
        """Sends what is due after a frame was judged. While more than WAITING_FRAMES wait, no
        snapshot is worked on."""
        slower = SLOWER if waiting > WAITING_FRAMES or self.game.tracker.scene.hurried else 1
        if self._flight_wanted:
            self._show_flight(t_ms, FLIGHT_EVERY_MS * slower)
        if waiting <= WAITING_FRAMES:
            self._go_on(t_ms)
        if self._frames_wanted == "on" and t_ms - self._frame_sent_ms >= FRAMES_EVERY_MS * slower:
            self.show_frame(t_ms, counts)

    def _go_on(self, t_ms: int) -> None:
        """Makes the next step of a snapshot that is due."""
        due_ms = SNAP_EVERY_MS * 3 if self.game.tracker.scene.flying else SNAP_EVERY_MS
        if self.game.referee.is_final(t_ms) != self._final:
            self._final = not self._final
            if self._final:
                self._steps = None  # it was not final when that was begun
                self._snap_sent_ms = t_ms - due_ms
        if t_ms - self._snap_sent_ms >= due_ms:
            if self.health.frames % SLICE_EVERY_FRAMES == 0:
                self._step(t_ms)

    def show_frame(self, t_ms: int, counts: "Counts") -> None:
        """Sends a frame if the one before has gone."""
        if self.outbox.frame_room():
            self._frame_sent_ms = t_ms
            frame = array("H", counts)
            text = b2a_base64(frame).decode().strip()  # pyright: ignore[reportArgumentType]  # a buffer
            self.outbox.send("frame", t_ms, (t_ms * 1000, text))

    def _show_flight(self, t_ms: int, every_ms: int) -> None:
        """Reports bodies in flight, no faster than `every_ms`; then once that there are none."""
        flying = self.game.tracker.scene.flying
        sent_ms = self._flight_sent_ms
        if flying and (sent_ms < 0 or t_ms - sent_ms >= every_ms):
            self._flight_sent_ms = t_ms
            self.outbox.send("flight", t_ms, ([self._flight_row(body) for body in flying],))
        elif not flying and sent_ms >= 0:
            self._flight_sent_ms = -1
            self.outbox.send("flight", t_ms, ((),))

    def _flight_row(self, body: "Body") -> "tuple[int | str, ...]":
        """As in `Game.pieces`, and last the height of the body's middle above the mat, 1/100 mm."""
        mat = self.game.mat
        x, y = body.spot_cmm(mat.DISC_RADIUS)
        height = (body.pose[2] + mat.SENSOR_Z) * 25 >> 6
        shape, face, tilt = body.shape, letter(body.face), body.tilt_deg()
        return (body.id, shape, face, body.discs, x, y, tilt, body.azimuth_deg(), height)

    def snapshot(self, t_ms: int) -> None:
        """Makes and sends a snapshot now, as somebody waits for it."""
        self._steps = None
        while self._step(t_ms):
            pass

    def _step(self, t_ms: int) -> bool:
        """Makes a snapshot's next step, and sends it after the last; False when it is done."""
        if self._steps is None:
            self._steps = _snapshot_steps(self.game, t_ms)
        try:
            try:
                next(self._steps)
                return True
            except StopIteration as end:
                if end.value:
                    self._snap_sent_ms = t_ms
                    self.outbox.send("snap", t_ms, (self.game.edition,) + end.value)
                    self.health.report(t_ms)
        except MemoryError:
            self._snap_sent_ms = t_ms  # the next one will do
        self._steps = None
        return False


def _snapshot_steps(game: "Game", t_ms: int) -> "Generator[None, None, tuple[Text, Text] | None]":
    """A generator: makes a snapshot step by step and returns it in the last one, as texts for the
    wire: the pieces, and Referee.state with what is known of it at `t_ms`. When anything was
    recorded in between, which the snapshot would only half contain, it returns None.
    """
    outbox, radius = game.outbox, game.mat.DISC_RADIUS
    recorded = outbox.last
    bodies, pieces = sorted_resting(game.tracker), []
    yield
    for first in range(0, len(bodies), SNAP_PIECES):
        if outbox.last != recorded:
            return None
        pieces.append(
            _items([row(body, radius) for body in bodies[first : first + SNAP_PIECES]], first)
        )
        yield
    if outbox.last != recorded:
        return None
    known, state = game.referee.state(), []
    if known["outcome"]:
        known["final"] = 1 if game.referee.is_final(t_ms) else 0
    yield
    for name in sorted(known):
        rows = known[name]
        state.append(("," if state else "{") + '"' + name + '":')
        if name != "pieces" or not isinstance(rows, list):
            state.append(json_text(rows))
            continue
        for first in range(0, len(rows), 2 * SNAP_PIECES):
            state.append(_items(rows[first : first + 2 * SNAP_PIECES], first))
            yield
        state.append("]" if rows else "[]")
    pieces.append("]" if pieces else "[]")
    state.append("}")
    yield
    return (Text(pieces), Text(state)) if outbox.last == recorded else None


def _items(rows: "list[Row]", first: int) -> str:
    """Rows of numbers and plain words as JSON: the items of a list from number `first` on."""
    return ("," if first else "[") + dumps(rows, separators=(",", ":"))[1:-1]
