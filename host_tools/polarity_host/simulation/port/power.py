"""The simulated mats that are switched on in this process, one for each URL."""

import atexit
import threading

from polarity_host.replay.engine import build_engine, raw_counts
from polarity_host.simulation.play.hand_game import HandGame
from polarity_host.simulation.port.address import CALIBRATION, VIRTUAL, SimGame
from polarity_host.simulation.port.game_source import GameSource
from polarity_host.simulation.port.sim_mat import SimMat

_lock = threading.Lock()
_mats: dict[str, SimMat] = {}


def switch_on(game: SimGame, stays: bool = False) -> SimMat:
    """A mat about to play a game; it begins when a host attaches. HostError as its parts."""
    source = GameSource(game)
    engine = build_engine(source.mat.id, game.edition, game.boot_id())
    source.connect(engine)
    frames = ((t_us, raw_counts(counts)) for t_us, counts in source.frames())
    return SimMat(
        engine, frames, speed=game.speed, stays=stays, hand_game=source.hand_game,
        share=lambda: source.share,
    )  # fmt: skip


def mat_at(url: str) -> SimMat:
    """The mat behind a `sim://` URL, switched on if it is not: a port closed and opened again
    continues the same game. HostError when the URL is wrong."""
    with _lock:
        if url not in _mats:
            game = SimGame.from_url(url)
            _mats[url] = switch_on(game, stays=game.kind == CALIBRATION)
        return _mats[url]


def hand_game_at(url: str) -> HandGame | None:
    """The HandGame behind a `sim://virtual` URL (see play/hand_game.py), switched on if it is not;
    None behind any other URL. HostError when it is wrong."""
    return mat_at(url).hand_game if url.startswith(f"sim://{VIRTUAL}") else None


def share_at(url: str) -> float | None:
    """How much of the game of the mat behind a `sim://` URL has been played, from 0 to 1; None
    where nobody knows, or no mat is switched on there."""
    with _lock:
        mat = _mats.get(url)
    return mat.share() if mat else None


def put_at(url: str, mat: SimMat) -> None:
    """Puts a mat of the caller's own behind a URL."""
    with _lock:
        _mats[url] = mat


def remove(url: str) -> None:
    """Unplugs the mat behind a URL and forgets it; whoever opens the URL next gets a new one."""
    with _lock:
        mat = _mats.pop(url, None)
    if mat:
        mat.unplug()


@atexit.register
def switch_all_off() -> None:
    """As `remove` for each URL. Done before the process ends, too: an interrupted game finishes its
    recording."""
    for url in list(_mats):
        remove(url)
