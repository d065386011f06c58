"""A virtual mat that is switched on: the twin's frames go through the firmware's engine in a thread
of its own, whose other end is the mat's end of a USB cable.
"""

import threading
import time
from collections.abc import Callable, Iterable

#: What the host's side of a USB serial port holds before the mat has to wait.
CABLE_BYTES = 4096
#: What the mat's standard input holds.
STDIN_BYTES = 512
#: A mat that is played on does not hurry after what a slow computer has missed, if it is more.
LATE_S = 0.2


class Unplugged(Exception):
    """The cable was pulled out of the virtual mat."""


class Finished(Exception):
    """The virtual game is over and everything it had to say has been read."""


class SimMat:
    """One virtual mat, powered from `start` until its frames end (or, with `stays`, for good).

    With `speed` above 0 time passes whether or not anybody reads, as on a table; with 0 the mat's
    clock waits for the reader, so that nothing is lost at any pace. Its methods may be called from
    any thread; one host at a time.
    """

    def __init__(
        self,
        engine,
        frames: Iterable[tuple[int, object]],
        speed: float = 1.0,
        stays: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.virtual = None  # the game that pointers play on it, if they do
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
        """The host closes the port: what the cable held is gone, as with a real one."""
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
            if not self._to_host:
                self._check_cable()
            return len(self._to_host)

    def read(
        self, size: int, wait_s: float | None, stop: Callable[[], bool] = lambda: False
    ) -> bytes:
        """Up to `size` bytes as soon as there are any; b"" after `wait_s` or when `stop()` turns
        true (call `wake` for it to be looked at). None waits for ever. Finished, Unplugged.
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
        """Lets a `read` that waits look at its `stop` again."""
        with self._changed:
            self._changed.notify_all()

    def drop_input(self) -> None:
        """Forgets what the cable holds for the host."""
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
        except (
            Exception
        ) as error:  # nobody waits for this thread: it is raised where the host reads
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
                    if self.virtual and self._clock() - due > LATE_S:
                        begun = self._clock() - t_us / 1e6 / self._speed
                    self._pause_until(due)
                self._take_commands()
                self.engine.frame(t_us // 1000, counts)
                self._speak(wait=not self._speed)
        finally:
            if hasattr(frames, "close"):
                frames.close()  # now, and not whenever it is collected: a recording ends here
        while True:
            self._take_commands()
            self._speak(wait=not self._stays)
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

    def _speak(self, wait: bool) -> bool:
        """Moves what the engine has to say into the cable; with `wait`, until it has said it
        all.
        """
        while True:
            with self._changed:
                self._raise_if_off()
                room = CABLE_BYTES - len(self._to_host) if self._attached else 0
                if not room:
                    if not wait:
                        return False
                    self._changed.wait(0.5)
                    continue
            data = self.engine.read(room)
            if not data:
                return True
            with self._changed:
                if self._attached:
                    self._to_host += data
                    self._changed.notify_all()

    def _pause_until(self, moment: float) -> None:
        """Waits, and meanwhile listens and speaks as between two frames."""
        while True:
            with self._changed:
                self._raise_if_off()
                left = moment - self._clock()
                if left <= 0:
                    return
                if not self._from_host:
                    self._changed.wait(left)
            self._take_commands()
            self._speak(wait=False)

    def _raise_if_off(self) -> None:
        if self._unplugged:
            raise _Off


class _Off(Exception):
    """The mat has no power any more: its thread ends."""
