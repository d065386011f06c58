"""Following a mat: everything is stored first, then told."""

from polarity_host.device.link import Gap, Link
from polarity_host.games.admission import Admission
from polarity_host.games.store import Store
from polarity_host.terminal.reporter import Teller
from polarity_host.wire.lines import Message


def follow(link: Link, store: Store, teller: Teller, once: bool = False) -> None:
    """Stores and tells what `link` brings until its port is over or, with `once`, a game has ended.

    HostError from any of them: what was told is stored.
    """
    admission = Admission(store.path)
    for batch in link.batches():
        events = admission.admitted(batch)
        store.add(event for event in events if isinstance(event, (Message, Gap)))
        for event in events:
            teller.tell(event)
        if once and teller.result:
            return
