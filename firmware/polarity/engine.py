"""The one engine: a frame of raw counts in; facts, rulings and messages out. The clock is handed
in.

It runs unmodified on the chip, under CPython in the digital twin and over recordings.
"""

import json
from array import array
from binascii import b2a_base64

from . import version
from .buttons import command_for
from .facts import letter
from .kernels import BROKEN
from .lights.azimuth import azimuth_deg
from .lights.ring import Ring
from .perception.flight import HURRIED
from .perception.memory import recall, remembered
from .perception.tracker import Tracker
from .rules.editions import rules_of
from .rules.referee import Referee
from .selftest import Watch, lost, report
from .snapshot import lying, row, slices
from .wire.commands import CommandReader
from .wire.messages import fact_values, ruling_values
from .wire.outbox import Outbox

NAME = "polarity-mat"
CAPABILITIES = ("facts", "rulings", "resume", "snap", "frames", "flight", "new", "corrections")
FRAMES_EVERY_MS = 200  # frames for the field view are sent no faster than this
FLIGHT_EVERY_MS = 33
SELDOM = 6  # times as seldom, while frames are lost
SNAP_EVERY_MS = 10000  # while nothing moves, and later while something does
GONE_MS = 1000  # who reads no frame for so long, though it wants nothing else, may be gone
SNAP_LEAST_MS = 1000  # one that is asked for sooner after another is made as slowly as those
# In one of so many frames it is asked whether sensors have fallen silent: at rest, and in flight.
WATCH_EVERY = 4, 16
SLICE_EVERY = 2  # frames: a snapshot's next step comes in one of so many
LOOK_EVERY_MS = 1000  # whether all inputs still speak is looked at so often
NEW_FRAMES = 24  # in which what has begun to move may lead to more


class Engine:
    """One mat and the game on it.

    `mat` is a module of polarity.mat_data, `edition` an id of polarity.rules.editions, `boot_id`
    an int that differs from boot to boot, `calibration` a polarity.calibration.Calibration of this
    mat, if there is one, `settings` those of polarity.settings that the mat has begun with, where
    they are kept. ValueError for an unknown edition.
    """

    def __init__(self, mat, edition="temple", boot_id=0, calibration=None, settings=None):
        if rules_of(edition) is None:
            raise ValueError("no rules called " + edition)
        self.mat = mat
        self.outbox = Outbox(boot_id)
        self.commands = CommandReader()
        self.ring = Ring(mat.LED_COUNT)
        self.paint = None  # called when something was ruled; set by whoever has lights
        self.games = 0  # begun
        self.changes = 0  # of the game: when it has not changed, it need not be kept again
        self.frames = 0
        self.missed = 0  # frames that nobody took: the one who hands them in knows
        self.t_ms = 0
        self._frames_wanted = "off"
        self._frame_sent_ms = -FRAMES_EVERY_MS
        self._flight_wanted = False
        self._flight_sent_ms = -1  # when bodies in flight were last told of, -1: none are
        self.received = None  # a calibration that came over the wire and is to be kept
        self._upload = None
        self.settings = settings
        self.unkept = None  # the settings as bytes, once they were changed and are to be kept
        self.later = ()  # names of those that count from the next start on
        self._snap_sent_ms = 0
        self._snapped_ms = -SNAP_LEAST_MS  # when one was last made at once
        self._slices = None  # of the snapshot that is being made
        self._complaint = self._lost = ""
        self._looked_ms = -LOOK_EVERY_MS
        self._tested = False
        self._watch = Watch(mat)
        self.tracker = None
        self._start(edition)
        if calibration:
            self.tracker.field.calibrate(calibration.gains)

    def _start(self, edition):
        self.edition = edition
        self.games += 1
        self.changes += 1
        self.ring.forget()
        self.referee = Referee(edition, self.mat.DISC_RADIUS * 25 >> 5)
        self.tracker = Tracker(self.mat, self.referee.edition["red"], self.tracker)
        self.outbox.send("game", self.t_ms, (edition, self.mat.MAT))

    # ------------------------------------------------------------------ frames in
    def frame(self, t_ms, counts):
        """Takes one frame: `counts` holds mat.N ints in frame order (array('H') or a list), `t_ms`
        its time."""
        self.t_ms = t_ms
        self.frames += 1
        if self.only_frames:
            if self.outbox.frame_room():
                self._send_frame(counts)
            return
        seen = self.tracker.step(t_ms, counts)
        if seen:
            self._tell_all(seen)
        else:
            self.referee.judge_oldest()
        self._check(t_ms, counts)
        self._show(t_ms, counts)

    def _tell_all(self, facts):
        for fact in facts:
            self.tell(fact)

    def _check(self, t_ms, counts):
        """Complains of what the sensors do not say."""
        if t_ms - self._looked_ms >= LOOK_EVERY_MS:
            self._looked_ms = t_ms
            self._lost = lost(self.mat, counts)
        complaint = self.tracker.complaint or self._lost
        if complaint != self._complaint:
            self._complain(complaint)
        if self.tracker.ready and not self._tested:
            self._test()
        every = WATCH_EVERY[1 if self.tracker.flying else 0]
        if self.tracker.ready and not self._lost and self.frames % every == 0:
            silent = self._watch.look(t_ms, counts, self.tracker.field)
            if silent:
                self.log("warn", silent)
                self._health()

    def _show(self, t_ms, counts):
        """Tells the host what it wants to see: what flies, what lies there, and the frame; more
        seldom while frames are lost, as the next is more urgent."""
        seldom = SELDOM if self.tracker.passed > HURRIED else 1
        if self._flight_wanted:
            self._tell_flight(t_ms, FLIGHT_EVERY_MS * seldom)
        unsaid_ms = t_ms - self._snap_sent_ms
        least_ms = SNAP_EVERY_MS * 3 if self.tracker.flying else SNAP_EVERY_MS
        if unsaid_ms >= least_ms:
            if self.frames % SLICE_EVERY == 0:
                self._make_snap()
        if (
            self._frames_wanted == "on"
            and t_ms - self._frame_sent_ms >= FRAMES_EVERY_MS * seldom
            and self.outbox.frame_room()
        ):
            self._send_frame(counts)

    @property
    def only_frames(self):
        """True while the host wants to see frames and nothing is judged."""
        return self._frames_wanted == "only"

    def unread_ms(self):
        """How long ago a frame was last put out to be sent: while it waits no other is."""
        return self.t_ms - self._frame_sent_ms

    def judge(self):
        """Frames only are no longer wanted."""
        if self.only_frames:
            self._frames_wanted = "off"

    def _send_frame(self, counts):
        self._frame_sent_ms = self.t_ms
        text = b2a_base64(array("H", counts)).decode().strip()
        self.outbox.send("frame", self.t_ms, (self.t_ms * 1000, text))

    def _tell_flight(self, t_ms, every_ms):
        """Where the bodies in flight are, so often while there are any; then once that there are
        none."""
        flying = self.tracker.flying
        sent_ms = self._flight_sent_ms
        if flying and (sent_ms < 0 or t_ms - sent_ms >= every_ms):
            self._flight_sent_ms = t_ms
            self.outbox.send("flight", t_ms, ([self._pose(body) for body in flying],))
        elif not flying and sent_ms >= 0:
            self._flight_sent_ms = -1
            self.outbox.send("flight", t_ms, ((),))

    def _pose(self, body):
        """A body in flight: as in `pieces`, and the height of its middle above the mat at the
        end."""
        x, y = body.spot_cmm(self.mat.DISC_RADIUS)
        height = (body.pose[2] + self.mat.SENSOR_Z) * 25 >> 6
        shape, face, tilt = body.shape, letter(body.face), body.tilt_deg()
        return (body.id, shape, face, body.discs, x, y, tilt, body.azimuth_deg(), height)

    def tell(self, fact):
        """Takes one fact: it is judged, and put on the wire. What is ruled is shown before it is
        put in words, which takes the chip longer."""
        self.changes += 1
        fact.seq = self.outbox.last + 1
        rulings = self.referee.handle_fact(fact)
        for ruling in rulings:
            self.ring.ruling(ruling, azimuth_deg(fact.x, fact.y))
        if rulings and self.paint:
            self.paint()
        self.outbox.send("fact", fact.t_ms, fact_values(fact))
        for ruling in rulings:
            self._send_ruling(ruling)

    def _send_ruling(self, ruling):
        self.outbox.send("ruling", ruling.t_ms, ruling_values(ruling))

    # ------------------------------------------------------------------ the wire
    def command(self, chunk):
        """Takes bytes from the host, in any portions; every complete line is answered by an ack."""
        for name, argument, line in self.commands.feed(chunk):
            why = "" if name else argument
            if name == "hello":
                self._hello()
            elif name == "resume":
                why = self.outbox.resume(argument)
            elif name == "snap":
                if self.t_ms - self._snapped_ms >= SNAP_LEAST_MS:
                    self._snapped_ms = self.t_ms
                    self._snap()
                else:  # it takes the chip long
                    self._snap_sent_ms = self.t_ms - SNAP_EVERY_MS * 3
            elif name == "frames":
                self._frames_wanted = argument
            elif name == "flight":
                self._flight_wanted = argument == "on"
            elif name == "new":
                if rules_of(argument):
                    self._start(argument)
                else:
                    why = "no such edition"
            elif name == "calibrate":
                why = self._calibrate(argument)
            elif name == "settings" or name == "set":
                from .settings import heard  # hardly ever needed

                why = heard(self, argument)
            elif name:
                why = self._say(name, argument)
            self.outbox.send("ack", self.t_ms, (line, not why, why))

    def _calibrate(self, words):
        """A piece of a calibration came; returns why it is refused, or an empty string. The last
        one begins a new game, on a bare mat and with the new gains."""
        from .calibration import Upload  # hardly ever needed

        if self._upload is None:
            self._upload = Upload(self.mat)
        why = self._upload.take(words)
        calibration = self._upload.calibration
        if why or calibration:
            data, self._upload = self._upload.data, None
            if calibration:
                self.tracker.field.calibrate(calibration.gains)
                self.received = data
                self._start(self.edition)
        return why

    def button(self, number, held):
        """Takes a press of button `number`, 0 or 1, `held` for long or not: see
        buttons.command_for.

        The record keeps why it came to nothing.
        """
        meant = command_for(number, held, self.referee.position.question)
        if meant:
            why = self._say(*meant)
            if why:
                self.log("info", "button %d: %s" % (number + 1, why))

    def _say(self, name, words):
        """Players say something; returns why it is refused, or an empty string."""
        from .rules.declarations import CORRECTIONS, parse

        declaration = parse(name, words, self.t_ms)
        if declaration is None:
            return "argument"
        referee = self.referee
        self.changes += 1
        declaration.seq = self.outbox.last + 1
        for ruling in referee.handle_declaration(declaration):  # made one by one
            self.ring.ruling(ruling)
            self._send_ruling(ruling)
        if not referee.refusal and name in CORRECTIONS:
            self._snap()
        return referee.refusal

    def read(self, max_bytes):
        """Up to `max_bytes` of what waits for the host; b"" when nothing does."""
        return self.outbox.read(max_bytes)

    def log(self, level, text):
        """Puts a line into the record: `level` info, warn or error."""
        self.outbox.send("log", self.t_ms, (level, text))

    def lights(self, t_ms, connected=False):
        """The LED ring's picture now: see polarity.lights.ring."""
        return self.ring.paint(t_ms, self.referee.position, connected)

    def _hello(self):
        if self.unread_ms() > GONE_MS:
            self.judge()  # it was another who wanted frames only
        mat = self.mat
        about = (NAME, version.told, mat.MAT, mat.N, self.edition, CAPABILITIES, mat.FRAME_HZ)
        self.outbox.send("hello", self.t_ms, about + (self.outbox.first,))

    def _snap(self):
        """Sends a snapshot at once, as somebody waits for it."""
        self._slices = None
        while self._make_snap():
            pass

    def _make_snap(self):
        """Goes on with a snapshot; False when it is done."""
        if self._slices is None:
            self._slices = slices(self)
        try:
            next(self._slices)
            return True
        except StopIteration:
            pass
        except MemoryError:
            self._snap_sent_ms = self.t_ms  # the next one will do
        self._slices = None
        return False

    def snapped(self, pieces, state):
        """Takes a snapshot that was made: see snapshot.py, and `pieces` and Referee.state, both as
        texts for the wire."""
        self._snap_sent_ms = self.t_ms
        self.outbox.send("snap", self.t_ms, (self.edition, pieces, state))
        self._health()

    def _complain(self, complaint):
        """The mat cannot be read, and why; "" when it can be again."""
        self._complaint = complaint
        self.ring.ill = bool(complaint)
        if complaint:
            self.log("warn", complaint)
        self._health()

    def _test(self):
        """Puts into the record what is wrong with the sensors, once."""
        self._tested = True
        said = report(self.mat, self.tracker.field)
        if said:
            self.log("warn", said)

    def _health(self):
        masked = [i for i, noise in enumerate(self.tracker.field.noise) if noise == BROKEN]
        values = (self.frames, self.missed, self.outbox.unsent, masked, self._complaint)
        self.outbox.send("health", self.t_ms, values)

    # ------------------------------------------------------------------ over a power cut
    def moving(self):
        """Whether anything is in flight, or not explained yet."""
        tracker = self.tracker
        return bool(tracker.flying) or tracker.news.odd_frames > 0

    def busy(self):
        """Whether something has just begun to move, or is not understood."""
        tracker = self.tracker
        if tracker.news.odd_frames > 0:
            return True
        for body in tracker.flying:
            if body.slot.uneasy or body.age_frames < NEW_FRAMES:
                return True
        return False

    def offsets(self):
        """What `recall` must know of the bare mat, as bytes; b"" before it was seen."""
        field = self.tracker.field
        return bytes(field.offset) + bytes(field.noise) if self.tracker.ready else b""

    def remember(self):
        """The game and what lies on the mat, for `recall`: a generator of parts (bytes), each made
        within a frame's time. They are worth nothing once anything more was told."""
        from .rules.stored_position import serialized

        yield ('["%s","%s",[' % (self.mat.MAT, self.edition)).encode()
        between = b""
        for piece in remembered(self.tracker):
            yield between + json.dumps(piece, separators=(",", ":")).encode()
            between = b","
        between = b"],"
        for text in serialized(self.referee.position):
            yield between + text.encode()
            between = b""
        yield b"]"

    def recall(self, offsets, text, counts):
        """Goes on with a game, given `offsets` and all of `remember` of an engine before this one,
        and a frame of the mat as it lies now. Returns what is to be said of it; "" when there is
        nothing to go on with, and the mat must be bare.
        """
        from .rules.stored_position import restored

        n, configured = self.mat.N, self.edition
        try:
            mat, edition, bodies, position = json.loads(text)
            if mat != self.mat.MAT or len(offsets) != 5 * n or not rules_of(edition):
                return ""
            self._start(edition)
            self.referee.continue_from(restored(self.referee.edition, position))
            self.tracker.field.offset[:] = array("i", offsets[: 4 * n])
            self.tracker.field.noise[:] = offsets[4 * n :]
            elsewhere = recall(self.tracker, bodies, counts)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            self._start(configured)
            return ""
        if elsewhere * 2 > len(bodies):
            self._start(configured)
            return ""
        return "the game goes on: %d pieces remembered, %d lie elsewhere" % (len(bodies), elsewhere)

    # ------------------------------------------------------------------ what is known now
    def pieces(self):
        """What lies on the mat: [id, shape, face, discs, x, y, tilt, azimuth] each, 1/100 mm and
        degrees."""
        return [row(body, self.mat.DISC_RADIUS) for body in lying(self.tracker)]

    def final(self):
        """The position as it stands: pieces (as `pieces`), reserves, score, outcome."""
        judged = self.referee.final()
        return {
            "pieces": self.pieces(),
            "reserves": judged["reserve"],
            "score": judged["score"],
            "outcome": judged["outcome"],
        }
