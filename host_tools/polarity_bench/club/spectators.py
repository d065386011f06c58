"""Spectators of a hall, in a process of their own, as browsers would be. Run as a module:
`LINK COUNT SECONDS`; prints what they got."""

import asyncio
import json
import sys
import time
from typing import Any

from websockets.asyncio.client import connect

#: Between two spectators who come: the page bounds how many may wait for their first answer.
ARRIVE_S = 0.01


async def _watch(link: str, after_s: float, until_s: float, got: dict[str, float] | None) -> int:
    """Comes after a while and watches; notes in `got` when each event came, and returns how many
    came."""
    count = 0
    await asyncio.sleep(after_s)
    async with connect(link, max_size=None, compression=None) as socket:
        while (left_s := until_s - time.monotonic()) > 0:
            try:
                text = await asyncio.wait_for(socket.recv(), left_s)
            except TimeoutError:
                break
            if got is None:
                # all get the same text: one in ten reads it, the others only receive it
                count += text.count('"at_ms":') if isinstance(text, str) else 0
                continue
            for event in json.loads(text).get("events", ()):
                got.setdefault(f"{event['mat']}/{event['b']}/{event['n']}", time.monotonic())
                count += 1
    return count


async def _all(link: str, count: int, seconds: float) -> dict[str, Any]:
    address = link.replace("http", "ws", 1).split("?")[0] + "api/v1/live"
    until_s = time.monotonic() + seconds
    readers: list[dict[str, float]] = [{} for _ in range(max(1, count // 10))]
    tasks = [
        _watch(address, ARRIVE_S * k, until_s, readers[k] if k < len(readers) else None)
        for k in range(count)
    ]
    counts = await asyncio.gather(*tasks)
    return {"counts": counts, "came": readers}


if __name__ == "__main__":
    link, count, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    print(json.dumps(asyncio.run(_all(link, count, seconds))))
