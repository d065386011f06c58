"""Sensors that fall ill over a game in play, each fault alone and in pairs: is it told, and is
nobody made to lose a game by it?"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polarity_bench.faults.ailments import AILMENTS, Ailment, noisy_sensors, swapped_inputs
from polarity_bench.faults.parts import Trouble
from polarity_host.mats.description import Mat, load_mat
from polarity_host.replay.engine import build_engine, sent_messages
from polarity_host.simulation.twin.scripted_game import GameTable, ScriptedGame
from polarity_host.simulation.twin.stage import Stage
from polarity_host.simulation.twin.stage_state import Action
from polarity_host.simulation.twin.truth import Record
from polarity_host.simulation.twin.whole_games import TURNS, end_by_red, play_turns

MAT, EDITION, BOOT_ID = "standard", "temple", 1
SMALL, SMALL_EDITION = "small", "scaled"  # scripts play no whole games on it: discs are laid
SMALL_MM = ((-48, -30), (0, -62), (52, -20), (-40, 50), (36, 44), (-66, 8), (66, 18), (0, 70))
SMALL_ONE_IN = 4  # of the games is on it
GAMES_EACH = 60  # that one game is played through with
LAST_S = 34.0  # it lies still at the end: a single sensor is found silent after twelve looks
ONSET_S = (26.0, 40.0)  # from its beginning, and before its end, where no fault begins
ROUNDED_COUNTS = 1  # half of a count and twice that again is so much less at most
NEAR_MS = 5000  # a ruling of the truth may be given so much later


def together(mat: Mat) -> list[tuple[Ailment, ...]]:
    """The faults alone and in pairs. A single input cannot be swapped with another."""
    own = [one for one in AILMENTS if one is not swapped_inputs or len(mat.adc_pins) > 1]
    return [*((ailment,) for ailment in own), *combinations(own, 2)]


@dataclass
class Played:
    """A game's frames: `times_ms`, `counts`, and the rulings that the books have for it."""

    seed: int
    mat: Mat
    edition: str
    times_ms: list[int]
    counts: NDArray[np.uint16]
    rulings: list[Record]


@dataclass
class Told:
    """What the mat reported of a game from a moment on."""

    complaints: list[str] = field(default_factory=list)
    masked: set[int] = field(default_factory=set)
    costly: list[tuple[int, str, str, str]] = field(default_factory=list)  # ms, code, player, why
    questions: int = 0
    well: bool = False  # nothing was ill: of two faults each undid the other


def played(seed: int, turns: int) -> Played:
    """The scripted game of that seed. Each third ends by the red disc."""

    def script(table: GameTable) -> Action:
        yield from table.set_up(spare_one=seed % 3 == 0)
        yield from play_turns(table, turns, dict(TURNS))
        if seed % 3 == 0 and not (table.books.over or table.stuck):
            yield from end_by_red(table, "touch_red")
        yield from table.stage.rest(LAST_S)

    mat = load_mat(MAT)
    game = ScriptedGame(seed, mat, script)
    frames = [(t_us // 1000, counts.copy()) for t_us, counts in game.frames()]
    rulings = [record for record in game.truth if record["k"] == "ruling"]
    return Played(seed, mat, EDITION, [t for t, _ in frames], _array(frames), rulings)


def laid_out(seed: int) -> Played:
    """The foundations are laid on the small mat, which costs nobody anything."""
    mat = load_mat(SMALL)
    stage = Stage(mat, seed=seed)

    def script() -> Action:
        yield from stage.rest(0.6)
        for number, place in enumerate(SMALL_MM):
            disc = stage.new_disc(-1 if number % 2 else 1)
            xy = (float(place[0]), float(place[1]))
            yield from stage.carry_in(disc, xy, from_deg=270.0 if number % 2 else 90.0)
            yield from stage.set_flat(disc, xy)
            yield from stage.rest(0.4)
        yield from stage.rest(max(0.0, ONSET_S[0] - stage.t_us / 1e6) + ONSET_S[1] + LAST_S / 4)

    frames = [(t_us // 1000, counts.copy()) for t_us, counts in stage.stream(script())]
    return Played(seed, mat, SMALL_EDITION, [t for t, _ in frames], _array(frames), [])


def _array(frames: list[tuple[int, NDArray[np.uint16]]]) -> NDArray[np.uint16]:
    return np.array([counts for _, counts in frames])


def ill(
    game: Played, ailments: Iterable[Ailment], draw: np.random.Generator
) -> tuple[int, NDArray[np.uint16], set[int]]:
    """(the frame with which the faults begin, the frames from there on, the sensors that show one
    count from then on and did not before, or grew noisy each by itself)."""
    begin_ms, end_ms = 1000 * ONSET_S[0], game.times_ms[-1] - 1000 * ONSET_S[1]
    at = int(np.searchsorted(game.times_ms, draw.uniform(begin_ms, max(begin_ms + 1, end_ms))))
    frames = game.counts[at:].astype(np.int64)
    still = (frames == frames[0]).all(axis=0)
    noisy = np.zeros(game.mat.n, bool)
    for ailment in ailments:
        before, most = frames, 2**game.mat.bits - 1
        frames = np.clip(ailment(frames, game.mat, draw), 0, most).astype(np.int64)
        if ailment is noisy_sensors:
            noisy = (frames != before).any(axis=0)
    own = noisy | (frames == frames[0]).all(axis=0) & ~still
    return at, frames.astype(np.uint16), {int(i) for i in np.flatnonzero(own)}


def judged(game: Played, at: int, frames: NDArray[np.uint16]) -> Told:
    """What a mat reports of a game whose frames are others from the one of that number on."""
    engine, told = build_engine(game.mat.id, game.edition, BOOT_ID), Told()
    for number, t_ms in enumerate(game.times_ms):
        counts = game.counts[number] if number < at else frames[number - at]
        engine.frame(t_ms, array("H", counts.astype("<u2").tobytes()))
        for message in sent_messages(engine):
            if number < at:
                continue
            body: Any = message.body
            if message.kind == "health":
                told.complaints += [body.why] if body.why else []
                told.masked |= set(body.masked)
            if message.kind == "ruling":
                told.questions += body.code == "unsure"
                if body.code in ("fault", "capture_failed", "end", "revised"):
                    told.costly.append((message.t_ms, body.code, body.player, body.why))
    told.masked |= {
        i for i, noise in enumerate(engine.game.tracker.scene.field.noise) if noise == 255
    }
    return told


def invented(game: Played, told: Told, code: str) -> list[tuple[int, str, str, str]]:
    """The rulings of that code that the books do not have about then. After `revised` a ruling that
    still holds is told once more."""
    books = [(r["t_us"] // 1000, r["code"], r["player"], r["why"]) for r in game.rulings]
    left, found = books[:], []
    for ruling in told.costly:
        if ruling[1] == "revised":
            left = books[:]
        if ruling[1] != code:
            continue
        same = [r for r in left if r[1:] == ruling[1:] and abs(r[0] - ruling[0]) < NEAR_MS]
        if same:
            left.remove(same[0])
        else:
            found.append(ruling)
    return found


def game_for(number: int, seed: int, games: int) -> Played:
    """The game that the fault of this number befalls, of a campaign of so many."""
    block = number // GAMES_EACH
    if block % SMALL_ONE_IN == SMALL_ONE_IN - 1:
        return laid_out(seed + block)
    return played(seed + block, 3 if games < GAMES_EACH else 8)


def faults_of(mat: Mat, number: int, games: int) -> tuple[Ailment, ...]:
    """The faults of this number in a campaign of so many games."""
    pairs = together(mat)
    return pairs[(number * 7 if games >= len(pairs) else number) % len(pairs)]


def befallen(
    game: Played, faults: tuple[Ailment, ...], number: int, seed: int
) -> tuple[Told, set[int]]:
    """(what the mat reported of the game with these faults, drawn for this number; the sensors that
    fell silent or grew noisy by themselves)."""
    at, frames, own = ill(game, faults, np.random.default_rng([seed, number]))
    told = judged(game, at, frames)
    left_over = np.abs(frames.astype(np.int64) - game.counts[at:]).max()
    told.well = bool(left_over <= ROUNDED_COUNTS)
    return told, own


def run(games: int, seed: int) -> dict[str, object]:
    """So many games in which sensors fall ill, all faults alone and in pairs by turns. Returns

    `sick_games`; `false_losses`: games that the mat ended and the books do not; `ill_untold`: games
    after whose fault it neither complained nor left out sensors that fell silent or grew noisy by
    themselves (one that a disc saturates is silent anyway);
    `well_complaints`: of the same games without a fault, those in which it complained; also
    `sick_questions` asked, `false_faults` (before the fault was noticed), `sick_exceptions`;
    `details`.
    """
    trouble = Trouble()
    false_losses = untold = questions = faults = well_complaints = 0
    details: list[str] = []
    game: Played | None = None
    for number in range(games):
        if game is None or number % GAMES_EACH == 0:
            game = game_for(number, seed, games)
            well_complaints += bool(judged(game, 0, game.counts).complaints)
        which = f"{seed}/{number} game {game.seed} on {game.mat.id}"
        with trouble.noted(which):
            faults_here = faults_of(game.mat, number, games)
            names = "+".join(one.__name__ for one in faults_here)
            told, own = befallen(game, faults_here, number, seed)
            losses = invented(game, told, "end")
            false_losses += bool(losses)
            faults += len(invented(game, told, "fault"))
            questions += told.questions
            if not (told.well or told.complaints or own & told.masked):
                untold += 1
                details.append(f"{which}: {names}: never told")
            details += [f"{which}: {names}: {loss}" for loss in losses]
    return {
        "sick_games": games,
        "false_losses": false_losses,
        "ill_untold": untold,
        "well_complaints": well_complaints,
        "sick_questions": questions,
        "false_faults": faults,
        "sick_exceptions": trouble.count,
        "details": details[:20] + trouble.details,
    }
