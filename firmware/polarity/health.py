"""The health of the mat's sensors: which are dead, stuck or noisy, fell silent, or lost their wire.

All are checked once, by what the bare mat has shown, and in play frame by frame.

A sensor's address: its low four bits choose the channel in its tile, the others the tile (a bank is
one tile of each ADC input). A tile's name is the letter of its chain and its number in it.
"""

from array import array

from . import kernels
from .input_watch import InputWatch
from .kernels import BROKEN
from .kernels._records import ALONE_MORE, WATCH_AT, WATCH_BEFORE, WATCH_END, WATCH_FAR, WATCH_LOOKS
from .noise_watch import NoiseWatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .game import Game
    from .mat_data.mat import Mat
    from .perception.field import Field
    from .wire.outbox import Outbox

    Counts = array[int]  # a frame: a raw count of each sensor, in frame order

NOISY = 12  # in 16 µT: three times what a sound sensor and its ADC may have
ALIKE = 8 << 4  # offsets that differ by less, in 1/16 count, are the same sensor's: 4 sigma
NAMED = 8  # at most this many sensors are named one by one
CHECKED = 2  # sensors that `SilenceDetector` checks in 10 ms: all of them in two seconds
MOST_AT_ONCE = 32  # sensors in one frame
# How often a count must repeat before its sensor is silent: with all others of its tile, or alone.
# Noise alone hardly ever does that.
TILE_REPEATS, OWN_REPEATS = 4, 12
LEAST_OF_TILE = 3  # sensors that a tile must have for that
# A sensor is noisy when it took far steps, and those beside it did not, in so many more looks than
# it took none: see kernels.watch. Discs that move brought one to 13 of 20 in games.
ALONE_LOOKS = 5
STRONG_UT = 30_000  # in a field this strong a sound sensor may saturate, again and again
# Sensors are checked for silence in one of this many frames: at rest, and in flight.
CHECK_EVERY_FRAMES = 4, 16
UNEXPLAINED_FRAMES = 100  # a disc that comes in is explained sooner
INPUTS_EVERY_MS = 1000  # how often all ADC inputs are checked


class Health:
    """Checks each frame of `game`, and reports to `outbox` what is wrong."""

    def __init__(self, mat: "Mat", outbox: "Outbox", game: "Game") -> None:
        self.frames = 0  # taken since power-up
        self.lost = 0  # frames that nobody took in time
        self.complaint = ""  # why the mat cannot be read, "" while it can
        self.mat = mat
        self.outbox = outbox
        self.game = game
        self._missing = ""  # which inputs a frame shows nothing of
        self._ill = ""  # what the watches of the sensors complain of
        self._inputs_checked_ms = -INPUTS_EVERY_MS
        self._baseline_reported = False
        self._silence = SilenceDetector(mat)
        self._inputs = InputWatch(mat)

    def count(self, lost: int) -> None:
        """Counts a frame that is not checked; `lost` so far."""
        self.frames += 1
        self.lost = lost

    def check(self, t_ms: int, counts: "Counts", lost: int) -> None:
        """Counts and checks a frame, and reports what has changed; `lost` so far."""
        self.frames += 1
        self.lost = lost
        if t_ms - self._inputs_checked_ms >= INPUTS_EVERY_MS:
            self._inputs_checked_ms = t_ms
            self._look_at_inputs(t_ms, counts)
        tracker = self.game.tracker
        if self.complaint != (tracker.complaint or self._missing or self._ill):
            self._complain(t_ms)
        if not tracker.ready:
            self._silence.begin()
            self._inputs.begin()
            return
        if not self._baseline_reported:
            self._baseline_reported = True
            self._warn(t_ms, baseline_report(self.mat, tracker.field))
        if not self._missing and self.frames % CHECK_EVERY_FRAMES[bool(tracker.flying)] == 0:
            self._find_silent(t_ms, counts)
            if tracker.news.odd_frames == 1:  # this frame is the first that is not explained
                self._inputs.sample(tracker.field, counts)
                self._inputs.doubts(tracker)

    def doubts(self, counts: "Counts") -> bool:
        """Whether what was observed in this frame is not to be believed: asked where there are
        facts."""
        if self.complaint:
            return True
        tracker = self.game.tracker
        self._inputs.sample(tracker.field, counts)
        self._missing = self._inputs.missing()
        if self._missing or not tracker.ready:
            return bool(self._missing)
        if self._inputs.doubts(tracker):
            return True
        # A disc over sensors that are left out may stay unexplained, or be taken for another.
        return self._silence.left_out and tracker.news.odd_frames > UNEXPLAINED_FRAMES

    def _look_at_inputs(self, t_ms: int, counts: "Counts") -> None:
        """Once a second: what need not be asked of every frame."""
        tracker, noise = self.game.tracker, self._silence.noise
        self._inputs.sample(tracker.field, counts, noise.far_step if tracker.ready else 0)
        self._missing = self._inputs.missing()
        if tracker.ready and not self._missing:
            self._inputs.judge(tracker)
        self._ill = self._silence.complaint or noise.complaint or self._inputs.complaint
        noisy = self._silence.noisy(tracker.field, bool(self._ill or self._missing))
        if noisy:
            self._warn(t_ms, noisy)
            self.report(t_ms)

    def _complain(self, t_ms: int) -> None:
        """Reports why the mat cannot be read, which has changed."""
        self.complaint = self.game.tracker.complaint or self._missing or self._ill
        if self._missing or self._ill:
            self.game.doubt_turn()
        self._warn(t_ms, self.complaint)
        self.report(t_ms)

    def _find_silent(self, t_ms: int, counts: "Counts") -> None:
        silent = self._silence.check(t_ms, counts, self.game.tracker.field)
        if silent:
            self._warn(t_ms, silent)
            self.report(t_ms)
            if self._silence.found >= LEAST_OF_TILE:
                self._inputs.shake()
                self.game.doubt_turn()

    def report(self, t_ms: int) -> None:
        """Sends the health message."""
        noise = self.game.tracker.field.noise
        masked = [i for i, value in enumerate(noise) if value == BROKEN]
        values = (self.frames, self.lost, self.outbox.unsent, masked, self.complaint)
        self.outbox.send("health", t_ms, values)

    def _warn(self, t_ms: int, text: str) -> None:
        if text:
            self.outbox.send("log", t_ms, ("warn", text))


def baseline_report(mat: "Mat", field: "Field") -> str:
    """In words, which sensors `field.baseline` has shown to be broken; "" when all are well. Inputs
    that read nothing at all are left to `InputWatch.missing`."""
    found = bytearray(mat.N)  # 1 dead, 2 stuck, 3 noisy
    for i in range(mat.N):
        offset, noise = field.offset[i], field.noise[i]
        if offset < mat.COUNT_MIN << 4:
            found[i] = 1
        elif offset > mat.COUNT_MAX << 4 or noise == BROKEN:
            found[i] = 2
        elif noise > NOISY:
            found[i] = 3
    for adc in range(len(mat.ADC_PINS)):
        own = [entry & 0x3FFF for entry in mat.SCAN_ORDER if entry >> 14 == adc]
        if all(found[i] in (1, 2) for i in own):
            for i in own:
                found[i] = 0
    found_broken = []
    for mark, what in ((1, "dead"), (2, "stuck"), (3, "noisy")):
        found_broken += _named(mat, [i for i in range(mat.N) if found[i] == mark], what)
    line = _stuck_line(mat, field.offset)
    if line >= 0:
        found_broken.append(
            "address line %d (GP%d) does not switch" % (line, mat.ADDRESS_PINS[line])
        )
    return "; ".join(found_broken)


class SilenceDetector:
    """Finds sensors that fall silent in play: one that shows the same count again and again, where
    noise would change it. Where all of an ADC input do, and others do not, it is the input:
    `complaint`. Where many do otherwise, either there is no noise, or `InputWatch` knows more;
    unless they are the same whole tiles in two rounds, and less than half the mat. `noisy` finds
    sensors that are noisy alone."""

    def __init__(self, mat: "Mat") -> None:
        self.mat = mat
        self.noise = NoiseWatch()
        self._low = bytearray(mat.N)  # the low bits of each sensor's count at its last check
        self._same = array("b", bytes(mat.N))  # how often they had not; see kernels.watch
        self._watch = kernels.record([self._low, self._same, 0, 0, OWN_REPEATS, 0, 0, 0, 0, 0, 0])
        self._t_ms = 0
        self._many = 0  # how many were silent in the last round, where that is a lot
        self.found = 0  # sensors that fell silent together, last time
        self.complaint = ""
        self.left_out = False  # whether any sensors were, since the bare mat was measured

    def begin(self) -> None:
        """The bare mat is measured anew, and what each sensor is good for."""
        self.complaint = ""
        self.left_out = False

    def check(self, t_ms: int, counts: "Counts", field: "Field") -> str:
        """Checks some sensors of a frame. Masks those that have fallen silent in `field`, and
        returns which, in words; "" mostly."""
        watch = self._watch
        end = watch[WATCH_AT] + min((t_ms - self._t_ms) * CHECKED // 10, MOST_AT_ONCE)
        self._t_ms = t_ms
        watch[WATCH_END] = min(end, self.mat.N)
        kernels.watch(field.record, watch, counts)
        return self._judge(field) if end >= self.mat.N else ""

    def _judge(self, field: "Field") -> str:
        """All sensors were checked once."""
        watch, same, still = self._watch, self._same, 0
        self.noise.end_round(*watch[WATCH_LOOKS:WATCH_BEFORE])
        for k in range(WATCH_LOOKS, len(watch)):
            watch[k] = 0
        watch[WATCH_AT], watch[WATCH_FAR] = 0, self.noise.far_step
        if max(same) < TILE_REPEATS:
            self._many = 0
            return ""
        for repeats in same:
            still += repeats >= TILE_REPEATS
        chance = still < LEAST_OF_TILE and max(same) < OWN_REPEATS
        before, self._many = self._many, still if still * 4 > self.mat.N else 0
        if self._many and still < self.mat.N:
            frozen = self._frozen(field)
            if frozen:
                return frozen
        if chance or bool(before) != bool(self._many) or 2 * max(before, still) > self.mat.N:
            return ""
        silent, least = [], TILE_REPEATS + bool(self._many)
        for own in _tiles(self.mat).values():
            if len(own) >= LEAST_OF_TILE and min([same[i] for i in own]) >= least:
                silent += own
            elif not self._many:
                silent += [
                    i for i in own if same[i] >= OWN_REPEATS and abs(field.base[i]) < STRONG_UT
                ]
        if (still - len(silent)) * 4 > self.mat.N:
            return ""  # it is no fault of tiles
        self.found = len(silent)
        for i in silent:
            field.noise[i] = BROKEN
            self.left_out = True
        self._look_for_a_lost_input(field)
        return "; ".join(_named(self.mat, sorted(silent), "silent"))

    def _look_for_a_lost_input(self, field: "Field") -> None:
        """Of an input that freezes in the midst of a round, one tile is found after the other. Once
        most are left out, what happens there goes unseen."""
        lost = [0] * len(self.mat.ADC_PINS)  # above 0 where more than three quarters are
        for entry in self.mat.SCAN_ORDER:
            lost[entry >> 14] += 1 if field.noise[entry & 0x3FFF] == BROKEN else -3
        if max(lost) > 0:
            self.complaint = "frozen_input"

    def noisy(self, field: "Field", elsewhere: bool) -> str:
        """Masks the sensors that have grown noisy, each all alone, and returns which, in words; ""
        mostly. `elsewhere`: it is known to be no fault of theirs."""
        same = self._same
        if min(same) > -ALONE_LOOKS * ALONE_MORE:
            return ""
        own = []
        for i in range(self.mat.N):
            if same[i] <= -ALONE_LOOKS * ALONE_MORE:
                same[i] = 0
                if not elsewhere:
                    field.noise[i] = BROKEN
                    own.append(i)
                    self.left_out = True
        return "; ".join(_named(self.mat, own, "noisy"))

    def _frozen(self, field: "Field") -> str:
        """Masks the sensors of an ADC input of which hardly one changes any more, where most of
        another's do. Returns which, in words."""
        mat, words = self.mat, []
        alive = [[] for _ in mat.ADC_PINS]
        for entry in mat.SCAN_ORDER:
            if field.noise[entry & 0x3FFF] != BROKEN:
                alive[entry >> 14].append(entry & 0x3FFF)
        still = [sum([self._same[i] >= TILE_REPEATS for i in own]) for own in alive]
        lively = [own for n, own in zip(still, alive) if own and n * 4 <= len(own)]
        if not lively:
            return ""
        for adc, own in enumerate(alive):
            if own and still[adc] * 8 >= len(own) * 7:
                for i in own:
                    field.noise[i] = BROKEN
                    self.left_out = True
                words.append("ADC input %d (GP%d) no longer changes" % (adc, mat.ADC_PINS[adc]))
                self.complaint = "frozen_input"
        return "; ".join(words)


def _tiles(mat: "Mat") -> "dict[int, list[int]]":
    """Tile -> its sensors: ADC input and bank in one number."""
    tiles = {}
    for k in range(mat.N):
        entry = mat.SCAN_ORDER[k]
        tiles.setdefault(entry >> 14 << 4 | mat.SCAN_ADDRESS[k] >> 4, []).append(entry & 0x3FFF)
    return tiles


def _named(mat: "Mat", sensors: "list[int]", what: str) -> "list[str]":
    """These sensors in words: first tiles of which all sensors are meant, then the others."""
    tiles = _tiles(mat) if sensors else {}
    words = []
    for tile in sorted(tiles):
        own = tiles[tile]
        if len(own) > 1 and all(i in sensors for i in own):
            chain, place = divmod(tile & 15, mat.CHAIN_TILES)
            chain = (tile >> 4) + len(mat.ADC_PINS) * chain
            words.append("%s tile %s%d" % (what, chr(65 + chain), place + 1))
            sensors = [i for i in sensors if i not in own]
    if sensors:
        more = " and %d more" % (len(sensors) - NAMED) if len(sensors) > NAMED else ""
        words.append(what + " sensors " + " ".join([str(i) for i in sensors[:NAMED]]) + more)
    return words


def _stuck_line(mat: "Mat", offset: "array[int]") -> int:
    """The address line that changes nothing, so that each sensor is read twice; -1 for none. Where
    all sensors are alike, as no real ones are, none can be named."""
    order, addresses = mat.SCAN_ORDER, mat.SCAN_ADDRESS
    stuck, lines = -1, 0
    for line in range(len(mat.ADDRESS_PINS)):
        pairs = alike = other = 0
        for k in range(mat.N):
            if addresses[k] >> line & 1:
                continue
            wanted = (addresses[k] | 1 << line) << 2 | order[k] >> 14
            while other < mat.N and (addresses[other] << 2 | order[other] >> 14) < wanted:
                other += 1
            if other < mat.N and (addresses[other] << 2 | order[other] >> 14) == wanted:
                pairs += 1
                if -ALIKE < offset[order[k] & 0x3FFF] - offset[order[other] & 0x3FFF] < ALIKE:
                    alike += 1
        if alike * 2 > pairs:
            stuck = line
            lines += 1
    return stuck if lines == 1 else -1
