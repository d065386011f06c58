"""Whole games of practice players against the engine: does every game come to its true result?

Physics decides what happens in these games (polarity_host.simulation.players); an oracle, which is
the referee fed with what really happened, says what must be ruled. With the engine "none" the games
are played for the oracle alone, without counts: that tests players, physics and rules.

A game that goes wrong can be kept: `keep` plays it again until shortly after its first wrong
moment, and stores the recording, its truth and a picture.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from polarity.rules.editions import EDITIONS, OPTIONS
from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.replay.engine import build_engine, raw_counts
from polarity_host.replay.pace import Pace, PacedEngine
from polarity_host.replay.recording import Counts
from polarity_host.simulation.play.body import BodyState
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
from .parallel import in_parallel
from .play_picture import picture
from .rulings import compare_rulings

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
    """Which game: `rules` as "temple+starting_point"; `seed` of world and players."""

    rules: str
    seed: int
    skill: str
    nuisances: str = USUAL
    engine: str = PERCEPTION
    pace: Pace | None = None

    def match(self) -> Match:
        """The game, not begun."""
        return Match(self.rules, self.seed, SKILLS[self.skill], condition=condition(self.nuisances))

    def words(self) -> str:
        """Which game it is, for people."""
        return f"{self.rules} seed {self.seed}"


class GameFigures(TypedDict):
    """What one game adds to the figures. `costs_ms`: of each frame; `bare_ms` and `rest_ms`: of
    frames of the bare mat, and of frames at rest with many discs. `wrong_us`: the first wrong
    moment, or -1."""

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
    illegal: int
    unsure: int
    disagreements: int
    fumbles: int
    costs_ms: list[float]
    bare_ms: list[float]
    rest_ms: list[float]
    game_s: float
    cpu_s: float
    wrong_us: int
    broke: bool
    details: list[str]


class Figures(TypedDict):
    """The figures of `run`."""

    games: int
    finished: int
    rulings: int
    rulings_wrong: int
    results_wrong: int
    false_red: int
    false_out: int
    dead_ends: int
    illegal_acts_per_100_turns: float
    engine_cost_p99_ms: float | None
    rest_cost_ms: float | None
    bare_cost_ms: float | None
    realtime_factor: float
    turns: int
    fumbles: int
    unsure: int
    disagreements: int
    broke: int
    engine: str
    skill: str
    nuisances: str
    table: list[str]
    details: list[str]


def rule_sets(editions: Sequence[str], variants: Sequence[str]) -> list[str]:
    """The editions alone, and each with every variant that it can have; one that goes with any
    edition stands with the first. HostError for an unknown name."""
    options = {line.split()[0]: line.split()[1] for line in OPTIONS.splitlines() if line}
    for name in editions:
        if name not in EDITIONS:
            raise HostError(BAD_INPUT, f"no edition {name!r}; there are {', '.join(EDITIONS)}")
    for name in variants:
        if name not in options:
            raise HostError(BAD_INPUT, f"no variant {name!r}; there are {', '.join(options)}")
    sets = list(editions)
    for name in variants:
        of = editions[0] if options[name] == "-" else options[name]
        if of in editions:
            sets.append(f"{of}+{name}")
    return sets


def all_variants() -> list[str]:
    """The names of all options of the rules."""
    return [line.split()[0] for line in OPTIONS.splitlines() if line]


def run(
    rules: Sequence[str],
    games: int,
    first_seed: int = 1,
    skill: str = "careful",
    nuisances: str = USUAL,
    engine: str = PERCEPTION,
    pace: Pace | None = None,
    jobs: int | None = None,
    keep_dir: str | Path | None = None,
    on_done: Callable[[GameFigures], object] | None = None,
) -> Figures:
    """Plays `games` games, the rules in turn, with seeds from `first_seed` on. `pace`: of an
    engine that is not done at once. `keep_dir`: keep games that go wrong there."""
    specs = [
        Spec(rules[k % len(rules)], first_seed + k // len(rules), skill, nuisances, engine, pace)
        for k in range(games)
    ]
    played = []
    for spec, figures in zip(specs, in_parallel(play_game, specs, jobs)):
        played.append(figures)
        if keep_dir and figures["wrong_us"] >= 0:
            keep(spec, figures["wrong_us"], keep_dir)
        if on_done:
            on_done(figures)
    return summary(played, skill, nuisances, engine)


def play_game(spec: Spec) -> GameFigures:
    """Plays one game to its end, judges it, and compares."""
    match = spec.match()
    costs = Costs(match)
    judge = EngineJudge(match, spec) if spec.engine == PERCEPTION else None
    started = time.process_time()
    if judge:
        for t_us, counts in match.frames():
            costs.add(t_us, judge.frame(t_us, counts))
    else:
        for _ in match.times():
            pass
    cpu_s = time.process_time() - started
    return _figures(spec, match, judge, costs, cpu_s)


def _figures(
    spec: Spec,
    match: Match,
    judge: "EngineJudge | None",
    costs: "Costs",
    cpu_s: float,
) -> GameFigures:
    truth, ended, game_s = match.truth, match.ended(), match.world.t_us / 1e6
    rulings: list[Record] = judge.rulings if judge else []
    expected = [r for r in truth if r["k"] == "ruling"]
    words: list[tuple[int, str]] = []
    wrong, false_red, false_out, result_wrong = 0, 0, 0, False
    if judge:
        found = match_facts(truth, judge.facts, ALL_KINDS)
        compared = compare_rulings(expected, rulings, found)
        words = timeline.discrepancies(found, compared)
        wrong = compared.wrong
        invented = Counter(fact["f"] for fact in found.invented)
        false_red = invented["touched_red"] + invented["red_off"]
        false_out = invented["left_circle"]
        result_wrong = judge.outcome() != [ended.why, ended.winner]
        if judge.broke:
            words.insert(0, (match.world.t_us, f"the engine broke: {judge.broke}"))
    if ended.dead_end:
        words.append((match.world.t_us, f"{match.world.t_us / 1e6:.2f} s {ended.dead_end}"))
    details = [line for _, line in sorted(words)] + match.wrong
    illegal = [r for r in expected if r["code"] == "irregular" and r["why"] not in NO_ACTS]
    return {
        "rules": spec.rules,
        "seed": spec.seed,
        "why": ended.why,
        "winner": ended.winner,
        "dead_end": ended.dead_end,
        "turns": match.turns,
        "rulings": len(expected),
        "rulings_wrong": wrong,
        "result_wrong": result_wrong,
        "false_red": false_red,
        "false_out": false_out,
        "illegal": len(illegal),
        "unsure": sum(r["code"] == "unsure" for r in rulings or expected),
        "disagreements": len(match.wrong),
        "fumbles": sum(len(player.fumbled) for player in match.players),
        "costs_ms": costs.all_ms,
        "bare_ms": costs.bare_ms,
        "rest_ms": costs.rest_ms,
        "game_s": game_s,
        "cpu_s": cpu_s,
        "wrong_us": min((t_us for t_us, _ in words), default=-1),
        "broke": bool(judge and judge.broke),
        "details": [f"{spec.words()}: {line}" for line in details[:DETAILS]],
    }


class EngineJudge:
    """The firmware's engine beside a game: gets its frames and what its players declare.

    `facts`, `rulings`: its messages, with `sent_us`, when they came. `broke`: its exception as one
    line, or "".
    """

    def __init__(self, match: Match, spec: Spec):
        self._match = match
        self._engine = build_engine(match.mat.id, match.edition, BOOT_ID)
        self._judging: Judging = self._engine
        if spec.pace:
            self._judging = PacedEngine(self._engine, spec.pace)
        self._splitter = LineSplitter()
        self._declared = 0
        self.facts: list[Record] = []
        self.rulings: list[Record] = []
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
        return cost_ms

    def _hand_on_declarations(self) -> None:
        records = self._match.truth
        declare(records[self._declared :], self._engine)
        self._declared = len(records)

    def _read(self) -> bytes:
        sent = b""
        while chunk := self._judging.read(READ_BYTES):
            sent += chunk
        return sent


class Costs:
    """What frames cost: all, those of the bare mat, and those at rest with many discs."""

    def __init__(self, match: Match):
        self._world = match.world
        self._still = 0
        self.all_ms: list[float] = []
        self.bare_ms: list[float] = []
        self.rest_ms: list[float] = []

    def add(self, t_us: int, cost_ms: float) -> None:
        """The cost of the frame of that time."""
        self.all_ms.append(cost_ms)
        bodies = self._world.bodies
        if t_us < BARE_US:
            self.bare_ms.append(cost_ms)
        moves = any(b.awake or b.state is BodyState.HELD for b in bodies)
        self._still = 0 if moves else self._still + 1
        if self._still > AT_REST_FRAMES and sum(len(b.discs) for b in bodies) >= CROWDED:
            self.rest_ms.append(cost_ms)


def summary(played: Sequence[GameFigures], skill: str, nuisances: str, engine: str) -> Figures:
    """The figures of `run` from those of the games."""
    turns = sum(game["turns"] for game in played)
    cpu_s = sum(game["cpu_s"] for game in played)
    costs = [ms for game in played for ms in game["costs_ms"]]
    rest = [ms for game in played for ms in game["rest_ms"]]
    bare = [ms for game in played for ms in game["bare_ms"]]
    return {
        "games": len(played),
        "finished": sum(not game["dead_end"] for game in played),
        "rulings": sum(game["rulings"] for game in played),
        "rulings_wrong": sum(game["rulings_wrong"] for game in played),
        "results_wrong": sum(game["result_wrong"] for game in played),
        "false_red": sum(game["false_red"] for game in played),
        "false_out": sum(game["false_out"] for game in played),
        "dead_ends": sum(bool(game["dead_end"]) for game in played),
        "illegal_acts_per_100_turns": round(
            100.0 * sum(game["illegal"] for game in played) / max(1, turns), 2
        ),
        "engine_cost_p99_ms": round(float(np.percentile(costs, 99)), 2) if costs else None,
        "rest_cost_ms": round(float(np.mean(rest)), 3) if rest else None,
        "bare_cost_ms": round(float(np.mean(bare)), 3) if bare else None,
        "realtime_factor": round(sum(game["game_s"] for game in played) / max(cpu_s, 1e-9), 2),
        "turns": turns,
        "fumbles": sum(game["fumbles"] for game in played),
        "unsure": sum(game["unsure"] for game in played),
        "disagreements": sum(game["disagreements"] for game in played),
        "broke": sum(game["broke"] for game in played),
        "engine": engine,
        "skill": skill,
        "nuisances": nuisances,
        "table": list(_table(played)),
        "details": [line for game in played for line in game["details"]][:DETAILS],
    }


def _table(played: Iterable[GameFigures]) -> Iterator[str]:
    yield f"{'rules':28}{'seed':>5}{'turns':>7}{'rulings':>9}{'wrong':>7}{'illegal':>9}  result"
    for game in played:
        result = game["dead_end"] or f"{game['why']} {game['winner'] or 'draw'}"
        yield (
            f"{game['rules']:28}{game['seed']:>5}{game['turns']:>7}{game['rulings']:>9}"
            f"{game['rulings_wrong']:>7}{game['illegal']:>9}  {result}"
            + ("  (the engine: another)" if game["result_wrong"] else "")
        )


def keep(spec: Spec, wrong_us: int, directory: str | Path) -> Path:
    """Plays the game again until shortly after `wrong_us`; stores recording, truth and a picture of
    that moment in the directory. Returns the recording's path."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{spec.rules.replace('+', '-')}-{spec.skill}-{spec.seed}.matrec.gz"
    match = spec.match()
    judge = EngineJudge(match, spec)
    drawn = False
    with closing(recorded_frames(match, path, match.frames())) as frames:
        for t_us, counts in frames:
            judge.frame(t_us, counts)
            if t_us >= wrong_us and not drawn:
                drawn = True
                title = f"{spec.words()}, {spec.skill}, {wrong_us / 1e6:.2f} s"
                drawing = picture(match.world, judge.engine, title)
                path.with_name(path.name.removesuffix(".matrec.gz") + ".svg").write_text(
                    drawing, encoding="utf-8"
                )
            if t_us > wrong_us + AFTER_WRONG_US:
                break
    return path
