"""A campaign of whole games (play.py): which are played, by how many processes, and what is left to
play of one that was cut.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from polarity.rules.editions import EDITIONS, OPTIONS
from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.replay.pace import Pace
from polarity_host.simulation.twin.nuisances import USUAL

from .parallel import in_parallel
from .play import PERCEPTION, GameFigures, Spec, keep, play_game
from .play_figures import Figures, summary
from .play_folder import GameFolder, program
from .play_recorded import play_recorded

Done = Callable[[int, int], object]
"""Called with (games that are done, of how many) before the first game and after each."""


def all_variants() -> list[str]:
    """The names of all options of the rules."""
    return [line.split()[0] for line in OPTIONS.splitlines() if line]


def rule_sets(edition: str, variants: Sequence[str]) -> list[str]:
    """The edition alone, and with each of these variants that it can have. HostError for an
    unknown name."""
    options = {line.split()[0]: line.split()[1] for line in OPTIONS.splitlines() if line}
    if edition not in EDITIONS:
        raise HostError(BAD_INPUT, f"no edition {edition!r}; there are {', '.join(EDITIONS)}")
    for name in variants:
        if name not in options:
            raise HostError(BAD_INPUT, f"no variant {name!r}; there are {', '.join(options)}")
    return [edition] + [f"{edition}+{n}" for n in variants if options[n] in ("-", edition)]


def plan(
    editions: Sequence[str], variants: Sequence[str], games: int, first_seed: int = 1
) -> list[tuple[str, int]]:
    """(rules, seed) of so many games: the editions in turn, each alone and with its variants in
    turn, so that however many are played they are spread evenly. Seeds count on from the first for
    each edition, so no two games have the same rules and seed. HostError as rule_sets."""
    sets = [rule_sets(edition, variants) for edition in editions]
    turns = ((k // len(sets), sets[k % len(sets)]) for k in range(games))
    return [(rules[turn % len(rules)], first_seed + turn) for turn, rules in turns]


def run(
    games: Sequence[tuple[str, int]],
    skill: str = "careful",
    nuisances: str = USUAL,
    engine: str = PERCEPTION,
    pace: Pace | None = None,
    jobs: int | None = None,
    into: str | Path | None = None,
    keep_dir: str | Path | None = None,
    recordings: str | Path | None = None,
    answers: bool = True,
    on_done: Done | None = None,
) -> Figures:
    """Plays these games, (rules, seed). `pace`: of an engine that is not done at once. `answers`:
    whether the players answer what the mat asks.

    `into`: a folder that each game is stored in when it is over. Those that are there already are
    not played again, and the figures are those of all games in it that were played under these
    conditions. `keep_dir`: where games that go wrong are recorded, by default `into` if any.
    `recordings`: where whole games are recorded; those that are there are judged over their
    recordings, not played again.
    """
    specs = [Spec(rules, seed, skill, nuisances, engine, pace, answers) for rules, seed in games]
    folder = GameFolder(into) if into else None
    due = [spec for spec in specs if not (folder and folder.has(spec))]
    done = len(specs) - len(due)
    if on_done:
        on_done(done, len(specs))
    played: list[GameFigures] = []
    one = partial(_play_one, folder, keep_dir or into, recordings)
    for figures in in_parallel(one, due, jobs, in_order=False):
        played.append(figures)
        done += 1
        if on_done:
            on_done(done, len(specs))
    programs = {program()}
    if folder and specs:
        stored = list(folder.games(specs[0]))
        programs = {program for program, _ in stored}
        played = [figures for _, figures in stored]
    return summary(played, skill, nuisances, engine, len(programs))


def _play_one(
    folder: GameFolder | None,
    keep_dir: str | Path | None,
    recordings: str | Path | None,
    spec: Spec,
) -> GameFigures:
    """Plays a game; records it if it went wrong, then stores it."""
    figures = play_recorded(spec, recordings) if recordings else play_game(spec)
    if keep_dir and figures["wrong"]:
        t_us, line = figures["wrong"][0]
        keep(spec, t_us, keep_dir, f"{spec.words()}: {line}")
    if folder:
        folder.store(spec, figures)
    return figures
