"""A network cable between two programs of this computer, which can be cut and be slow.

What is cut carries no byte and reports nothing: neither end learns of it, as with a switch that is
switched off. Joined again, it carries on where it was, if both ends still wait.
"""

import asyncio
import contextlib
import threading

CHUNK = 65536
CONNECT_S = 30.0


class Cable:
    """Leads from a port of its own to `target`, one of this computer; use as a context manager."""

    def __init__(self, target: int):
        self._target, self.port = target, 0
        self._delay_s = 0.0
        self._loop = asyncio.new_event_loop()
        self._joined = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="cable", daemon=True)

    def __enter__(self) -> "Cable":
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def cut(self) -> None:
        """Nothing goes through."""
        self._loop.call_soon_threadsafe(self._joined.clear)

    def join(self) -> None:
        """It carries again."""
        self._loop.call_soon_threadsafe(self._joined.set)

    def slow(self, delay_s: float) -> None:
        """Whatever goes through takes so much longer, each way."""
        self._delay_s = delay_s

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._joined.set()
        server = self._loop.run_until_complete(
            asyncio.start_server(self._carry, "127.0.0.1", 0, limit=CHUNK)
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _carry(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        await self._joined.wait()
        try:
            far, there = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            back.close()
            return
        ways = [asyncio.ensure_future(self._one_way(near, there)),
                asyncio.ensure_future(self._one_way(far, back))]  # fmt: skip
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            await self._joined.wait()  # its end does not get through either
        finally:
            for way in ways:
                way.cancel()
            for writer in (there, back):
                writer.close()

    async def _one_way(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(CHUNK):
                if self._delay_s:
                    await asyncio.sleep(self._delay_s)
                await self._joined.wait()
                sink.write(data)
                await sink.drain()
