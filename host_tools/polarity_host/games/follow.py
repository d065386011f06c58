"""Following a mat: everything is stored before it is reported."""

from typing import Protocol, TypeGuard

from polarity_host.device.link import Event, Gap, Link
from polarity_host.games.admission import Admission
from polarity_host.games.store import Store
from polarity_host.wire.lines import Damaged, Message
from polarity_host.wire.messages import RulingMessage


class Follower(Protocol):
    """Receives the events of a mat; `result` is the end of its game, once it has one."""

    @property
    def result(self) -> RulingMessage | None: ...

    def report(self, event: Event) -> None: ...


def follow(link: Link, store: Store, follower: Follower, once: bool = False) -> None:
    """Stores and reports what `link` brings until its port is over or, with `once`, a game has
    ended.

    HostError from any of them: what was reported is stored.
    """
    admission = Admission(store.path)
    for batch in link.batches():
        events = admission.admitted(batch)
        store.add(event for event in events if _is_stored(event))
        for event in events:
            follower.report(event)
        if once and follower.result:
            return


def _is_stored(event: Event) -> TypeGuard[Message | Gap | Damaged]:
    return isinstance(event, (Message, Gap)) or (isinstance(event, Damaged) and bool(event.aside))
