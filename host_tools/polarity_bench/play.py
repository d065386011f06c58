"""Whole games of practice players against the engine: does every game come to its true result?

Physics decides what happens in these games (polarity_host.simulation.players); an oracle, which is
the referee fed with what really happened, says what must be ruled. With the engine "none" the games
are played for the oracle alone, without counts: that tests players, physics and rules.

A game that goes wrong can be kept: `keep` plays it again until shortly after its first wrong
moment, and stores the recording, its truth and a picture. Many games: campaign.py.
"""

import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypedDict
from zlib import crc32

from polarity_host.mats.description import Mat
from polarity_host.replay.engine import build_engine, raw_counts
from polarity_host.replay.pace import Pace, PacedEngine
from polarity_host.replay.recording import Counts
from polarity_host.replay.truth import truth_path
from polarity_host.simulation.play.body import BodyState
from polarity_host.simulation.play.world import World
from polarity_host.simulation.players.match import Match
from polarity_host.simulation.players.played_game import declare
from polarity_host.simulation.players.skill import SKILLS
from polarity_host.simulation.twin.nuisances import USUAL, condition
from polarity_host.simulation.twin.record import recorded_frames
from polarity_host.simulation.twin.truth import Record
from polarity_host.wire.lines import LineSplitter, Message, decode

from . import timeline
from .judge_game import BOOT_ID, Judging
from .matching import ALL_KINDS, match_facts
from .play_answers import Answers
from .play_picture import answers_of, by_engine, picture
from .rulings import compare_rulings, standing

if TYPE_CHECKING:
    from polarity.engine import Engine

PERCEPTION, TRUE_FACTS = "perception", "none"
ENGINES = (PERCEPTION, TRUE_FACTS)
CROWDED = 30  # discs on the mat, for the cost at rest
BARE_US = 1_000_000
AT_REST_FRAMES = 50  # so long nothing has moved
AFTER_WRONG_US = 3_000_000
READ_BYTES = 4096
DETAILS = 40

#: What only the books' wording calls irregular, though nobody did anything that he must not.
NO_ACTS = ("flat_after_fault", "cube_open", "red_off", "touched_red", "out")


@dataclass(frozen=True)
class Spec:
    """Which game: `rules` as "temple+starting_point"; `seed` of world and players. `answers`:
    whether the players answer what the mat asks."""

    rules: str
    seed: int
    skill: str
    nuisances: str = USUAL
    engine: str = PERCEPTION
    pace: Pace | None = None
    answers: bool = True

    def match(self) -> Match:
        """The game, not begun."""
        return Match(self.rules, self.seed, SKILLS[self.skill], condition=condition(self.nuisances))

    def words(self) -> str:
        """Which game it is, for people."""
        return f"{self.rules} seed {self.seed}"

    @property
    def name(self) -> str:
        """Which game it is, for files; another one has another name."""
        engine = "" if self.engine == PERCEPTION else f"-engine_{self.engine}"
        pace = f"-pace_{crc32(repr(self.pace).encode()):08x}" if self.pace else ""
        silent = "" if self.answers else "-silent"
        rules = self.rules.replace("+", "-")
        return f"{rules}-{self.skill}-{self.nuisances}{engine}{pace}{silent}-{self.seed}"


class GameFigures(TypedDict):
    """What one game adds to the figures. `illegal`: how many acts of each kind. `costs_ms`: [ms,
    frames] pairs; `bare_ms` and `rest_ms`: those of frames of the bare mat, and of frames at rest
    with many discs. `wrong`: [µs, words] of the first wrong moments, in order."""

    rules: str
    seed: int
    why: str
    winner: str
    dead_end: str
    turns: int
    rulings: int
    rulings_wrong: int
    result_wrong: bool
    false_red: int
    false_out: int
    illegal: dict[str, int]
    unsure: int
    answers: int
    disagreements: int
    fumbles: int
    costs_ms: list[list[float]]
    bare_ms: list[list[float]]
    rest_ms: list[list[float]]
    game_s: float
    cpu_s: float
    wrong: list[tuple[int, str]]
    broke: bool


def play_game(spec: Spec) -> GameFigures:
    """Plays one game to its end, judges it, and compares."""
    match = spec.match()
    costs = Costs(match.world)
    judge = EngineJudge(match, spec) if spec.engine == PERCEPTION else None
    started = time.process_time()
    if judge:
        for t_us, counts in match.frames():
            costs.add(t_us, judge.frame(t_us, counts))
    else:
        for _ in match.times():
            pass
    figures = played(spec, match, time.process_time() - started)
    return judged(figures, match.truth, judge, costs) if judge else figures


def played(spec: Spec, match: Match, cpu_s: float) -> GameFigures:
    """The figures of a game that is over, before an engine's answers are compared with it. `cpu_s`:
    the time that it took."""
    ended, t_us = match.ended(), match.world.t_us
    wrong = [(at, f"{at / 1e6:.2f} s {line}") for at, line in match.wrong]
    if ended.dead_end:
        wrong.append((t_us, f"{t_us / 1e6:.2f} s {ended.dead_end}"))
    expected = _rulings(match.truth)
    irregular = [r["why"] for r in expected if r["code"] == "irregular"]
    return {
        "rules": spec.rules,
        "seed": spec.seed,
        "why": ended.why,
        "winner": ended.winner,
        "dead_end": ended.dead_end,
        "turns": match.turns,
        "rulings": len(expected),
        "rulings_wrong": 0,
        "result_wrong": False,
        "false_red": 0,
        "false_out": 0,
        "illegal": dict(Counter(why for why in irregular if why not in NO_ACTS)),
        "unsure": sum(r["code"] == "unsure" for r in expected),
        "answers": 0,
        "disagreements": len(match.wrong),
        "fumbles": sum(len(player.fumbled) for player in match.players),
        "costs_ms": [],
        "bare_ms": [],
        "rest_ms": [],
        "game_s": t_us / 1e6,
        "cpu_s": cpu_s,
        "wrong": wrong[:DETAILS],
        "broke": False,
    }


def judged(
    game: GameFigures, truth: list[Record], judge: "EngineJudge", costs: "Costs"
) -> GameFigures:
    """The figures of this game with those of the engine's answers to it."""
    found = match_facts(truth, judge.facts, ALL_KINDS)
    compared = compare_rulings(_rulings(truth), standing(judge.rulings, judge.facts), found)
    invented = Counter(fact["f"] for fact in found.invented)
    wrong = timeline.discrepancies(found, compared) + game["wrong"]
    if judge.broke:
        wrong.append((round(1e6 * game["game_s"]), f"the engine broke: {judge.broke}"))
    return {
        **game,
        "rulings_wrong": compared.wrong,
        "result_wrong": judge.outcome() != [game["why"], game["winner"]],
        "false_red": invented["touched_red"] + invented["red_off"],
        "false_out": invented["left_circle"],
        "unsure": sum(r["code"] == "unsure" for r in judge.rulings),
        "answers": judge.answers,
        "costs_ms": _pairs(costs.all_ms),
        "bare_ms": _pairs(costs.bare_ms),
        "rest_ms": _pairs(costs.rest_ms),
        "wrong": sorted(wrong)[:DETAILS],
        "broke": bool(judge.broke),
    }


def _rulings(truth: list[Record]) -> list[Record]:
    return [r for r in truth if r["k"] == "ruling"]


class JudgedGame(Protocol):
    """A game as its judge knows it: its mat, its rules, and the truth as it grows."""

    mat: Mat
    edition: str
    truth: list[Record]


class EngineJudge:
    """The firmware's engine beside a game: gets its frames and what its players declare.

    `facts`, `rulings`: its messages, with `sent_us`, when they came. `answers`: how many it got
    from the players. `broke`: its exception as one line, or "".
    """

    def __init__(self, game: JudgedGame, spec: Spec):
        self._game = game
        self._engine = build_engine(game.mat.id, game.edition, BOOT_ID)
        self._judging: Judging = self._engine
        if spec.pace:
            self._judging = PacedEngine(self._engine, spec.pace)
        self._answers = Answers(game.truth) if spec.answers else None
        self._splitter = LineSplitter()
        self._declared = 0
        self.facts: list[Record] = []
        self.rulings: list[Record] = []
        self.answers = 0
        self.broke = ""

    @property
    def engine(self) -> "Engine":
        """The engine itself."""
        return self._engine

    def outcome(self) -> list[str]:
        """[why, winner], empty texts while its game goes on."""
        return self._engine.game.referee.state()["outcome"] or ["", ""]

    def frame(self, t_us: int, counts: Counts) -> float:
        """Hands it a frame. Returns what that cost in ms of processor time."""
        if self.broke:
            return 0.0
        plain = raw_counts(counts)
        began = time.process_time()
        try:
            self._judging.frame(t_us // 1000, plain)
            sent = self._read()
        except Exception as error:  # an engine that raises is a figure of its own
            self.broke = f"{type(error).__name__}: {error}"
            return 0.0
        cost_ms = 1000.0 * (time.process_time() - began)
        self._hand_on_declarations()
        for line in self._splitter.feed(sent):
            message = decode(line)
            if isinstance(message, Message) and message.kind in ("fact", "ruling"):
                record: Record = {
                    **message.as_received(),
                    "sent_us": t_us,
                    "t_us": message.t_ms * 1000,
                }
                (self.facts if message.kind == "fact" else self.rulings).append(record)
                if self._answers and message.kind == "ruling":
                    self._answers.heard(record, self.facts)
        if self._answers and self._answers.due:
            for words in self._answers.said(t_us, self._engine.game.referee.state()["reserve"]):
                self._engine.command(f"{words}\n".encode())
                self.answers += 1
        return cost_ms

    def _hand_on_declarations(self) -> None:
        records = self._game.truth
        declare(records[self._declared :], self._engine)
        self._declared = len(records)

    def _read(self) -> bytes:
        sent = b""
        while chunk := self._judging.read(READ_BYTES):
            sent += chunk
        return sent


class Costs:
    """What frames cost, to 10 us: how many of all cost so much, of those of the bare mat, and of
    those at rest with many discs, where the world in which they are played is at hand."""

    def __init__(self, world: World | None = None):
        self._world = world
        self._still = 0
        self.all_ms: Counter[float] = Counter()
        self.bare_ms: Counter[float] = Counter()
        self.rest_ms: Counter[float] = Counter()

    def add(self, t_us: int, cost_ms: float) -> None:
        """The cost of the frame of that time."""
        cost_ms = round(cost_ms, 2)
        self.all_ms[cost_ms] += 1
        if t_us < BARE_US:
            self.bare_ms[cost_ms] += 1
        if self._world is None:
            return
        bodies = self._world.bodies
        moves = any(b.awake or b.state is BodyState.HELD for b in bodies)
        self._still = 0 if moves else self._still + 1
        if self._still > AT_REST_FRAMES and sum(len(b.discs) for b in bodies) >= CROWDED:
            self.rest_ms[cost_ms] += 1


def _pairs(costs: Counter[float]) -> list[list[float]]:
    return [[ms, frames] for ms, frames in sorted(costs.items())]


def keep(spec: Spec, wrong_us: int, directory: str | Path, what: str = "") -> Path:
    """Plays the game again until shortly after `wrong_us`; stores recording, truth and a picture of
    that moment in the directory, in place of what it stored there before. `what`: what is wrong, in
    words. Returns the recording's path. RecordingError when it cannot be written."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{spec.name}.matrec.gz"
    for left in (path, truth_path(path)):  # of a campaign that was cut
        left.unlink(missing_ok=True)
    match = spec.match()
    judge = EngineJudge(match, spec) if spec.engine == PERCEPTION else None
    drawn = False
    with closing(recorded_frames(match, path, match.frames())) as frames:
        for t_us, counts in frames:
            if judge:
                judge.frame(t_us, counts)
            if t_us >= wrong_us and not drawn:
                drawn = True
                answers = by_engine(judge.engine) if judge else answers_of(match)
                title = f"{spec.words()}, {spec.skill}, {wrong_us / 1e6:.2f} s"
                path.with_name(f"{spec.name}.svg").write_text(
                    picture(match.world, answers, title, what), encoding="utf-8"
                )
            if t_us > wrong_us + AFTER_WRONG_US:
                break
    return path
