"""A simulated mat that is switched on: frames go through the firmware's engine in a thread of its
own, which is the mat's end of a USB cable.
"""

import threading
import time
from array import array
from collections.abc import Callable, Iterable
from typing import Protocol

from polarity_host.simulation.play.hand_game import HandGame

#: What the host's side of a USB serial port holds before the mat has to wait.
CABLE_BYTES = 4096
#: What the mat's standard input holds.
STDIN_BYTES = 512
#: A game played by hands that is later than this, on a slow computer, does not catch up.
LATE_S = 0.2


class PortEngine(Protocol):
    """The part of the firmware's engine that this module calls."""

    def frame(self, t_ms: int, counts: "array[int]") -> None: ...

    def command(self, chunk: bytes) -> None: ...

    def read(self, max_bytes: int) -> bytes | None: ...


class Unplugged(Exception):
    """The cable was pulled out of the mat."""


class Finished(Exception):
    """The game is over and everything that the mat sent has been read."""


class SimMat:
    """One mat, powered from the first `attach` until its frames end (or, with `stays`, for good).

    With `speed` above 0 time passes whether or not anybody reads, as on a table; with 0 the mat's
    clock waits for the reader, so nothing is lost at any pace. Its methods may be called from
    any thread; one host at a time. `hand_game`: the game that pointers play on it, if they do.
    `share` says how much of its game has been played.
    """

    def __init__(
        self,
        engine: PortEngine,
        frames: Iterable[tuple[int, "array[int]"]],
        speed: float = 1.0,
        stays: bool = False,
        clock: Callable[[], float] = time.monotonic,
        hand_game: HandGame | None = None,
        share: Callable[[], float | None] = lambda: None,
    ):
        self.hand_game = hand_game
        self.share = share
        self.engine = engine
        self._frames = frames
        self._speed = speed
        self._stays = stays
        self._clock = clock
        self._changed = threading.Condition()
        self._to_host = bytearray()
        self._from_host = bytearray()
        self._attached = False
        self._unplugged = False
        self._over = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="virtual mat", daemon=True)
        self._started = False

    def attach(self) -> None:
        """The host opens the port; the first time, the mat is switched on. Finished, Unplugged."""
        with self._changed:
            self._check_cable()
            self._attached = True
            if not self._started:
                self._started = True
                self._thread.start()
            self._changed.notify_all()

    def detach(self) -> None:
        """The host closes the port: what was in the cable is lost, as with a real one."""
        with self._changed:
            self._attached = False
            self._to_host.clear()
            self._from_host.clear()
            self._changed.notify_all()

    def unplug(self) -> None:
        """Pulls the cable and switches the mat off for good."""
        with self._changed:
            self._unplugged = True
            self._changed.notify_all()
        if self._started and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    @property
    def waiting(self) -> int:
        """Bytes that `read` would give at once."""
        with self._changed:
            return len(self._to_host)

    def read(
        self, size: int, wait_s: float | None, stop: Callable[[], bool] = lambda: False
    ) -> bytes:
        """Up to `size` bytes as soon as there are any; b"" after `wait_s` or when `stop()` turns
        true (call `wake` to have it checked). None waits for ever. Finished, Unplugged.
        """
        until = None if wait_s is None else time.monotonic() + wait_s
        with self._changed:
            while not self._to_host and not stop():
                self._check_cable()
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    break
                self._changed.wait(left)
            data = bytes(self._to_host[:size])
            del self._to_host[:size]
            self._changed.notify_all()
            return data

    def write(self, data: bytes, wait_s: float | None) -> int:
        """How many bytes the mat took before `wait_s` was over. Finished, Unplugged."""
        until = None if wait_s is None else time.monotonic() + wait_s
        sent = 0
        with self._changed:
            while sent < len(data):
                self._check_cable()
                room = STDIN_BYTES - len(self._from_host)
                self._from_host += data[sent : sent + room]
                sent = min(len(data), sent + room)
                self._changed.notify_all()
                left = None if until is None else until - time.monotonic()
                if sent < len(data):
                    if left is not None and left <= 0:
                        break
                    self._changed.wait(left)
        return sent

    def wake(self) -> None:
        """Makes a waiting `read` check its `stop` again."""
        with self._changed:
            self._changed.notify_all()

    def drop_input(self) -> None:
        """Drops what is in the cable for the host."""
        with self._changed:
            self._to_host.clear()
            self._changed.notify_all()

    def _check_cable(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._unplugged:
            raise Unplugged("the virtual mat was unplugged")
        if self._over and not self._to_host:
            raise Finished("the virtual game is over")

    def _run(self) -> None:
        try:
            self._play()
        except _Off:
            pass
        except Exception as error:  # raised where the host reads: no one joins this thread
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def _play(self) -> None:
        begun = self._clock()
        frames = iter(self._frames)
        try:
            for t_us, counts in frames:
                if self._speed:
                    due = begun + t_us / 1e6 / self._speed
                    game = self.hand_game
                    if game and (game.hurries or self._clock() - due > LATE_S):
                        begun = self._clock() - t_us / 1e6 / self._speed
                    self._pause_until(due)
                self._take_commands()
                self.engine.frame(t_us // 1000, counts)
                self._send(wait=not self._speed)
        finally:
            close = getattr(frames, "close", None)
            if close:
                close()  # now, not when it is collected: a recording ends here
        while True:
            self._take_commands()
            self._send(wait=not self._stays)
            with self._changed:
                self._raise_if_off()
                if not self._from_host:
                    if not self._stays:
                        break
                    self._changed.wait(0.5)
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _take_commands(self) -> None:
        with self._changed:
            data = bytes(self._from_host)
            self._from_host.clear()
            if data:
                self._changed.notify_all()
        if data:
            self.engine.command(data)

    def _send(self, wait: bool) -> None:
        """Moves what the engine sends into the cable; with `wait`, until there is no more."""
        while True:
            with self._changed:
                self._raise_if_off()
                room = CABLE_BYTES - len(self._to_host) if self._attached else 0
                if not room:
                    if not wait:
                        return
                    self._changed.wait(0.5)
                    continue
            data = self.engine.read(room)
            if not data:
                return
            with self._changed:
                if self._attached:
                    self._to_host += data
                    self._changed.notify_all()

    def _pause_until(self, moment: float) -> None:
        """Waits, and meanwhile receives and sends as between two frames."""
        while True:
            with self._changed:
                self._raise_if_off()
                left = moment - self._clock()
                if left <= 0:
                    return
                if not self._from_host:
                    self._changed.wait(left)
            self._take_commands()
            self._send(wait=False)

    def _raise_if_off(self) -> None:
        if self._unplugged:
            raise _Off


class _Off(Exception):
    """The mat has no power any more: its thread ends."""
