"""Who may publish and read what at the broker."""

from collections.abc import Iterable

from polarity_host.mqtt.discovery import announcement
from polarity_host.mqtt.topics import ASK, OWNER, PUBLISHED, ROOT
from polarity_host.words.catalogue import DEFAULT

HUB_USER = "hub"


def access_list(mats: Iterable[str]) -> str:
    """Mosquitto's access list (mosquitto.conf(5), acl_file): each mat logs in by its name, speaks
    for itself alone and receives what the hall asks of it; the hub receives all and asks."""
    lines = [f"user {HUB_USER}", f"topic read {ROOT}/#", f"topic write {ROOT}/+/{ASK}"]
    for mat in mats:
        lines += ["", f"user {mat}"]
        lines += [f"topic write {ROOT}/{mat}/{leaf}" for leaf in PUBLISHED]
        lines += [f"topic read {ROOT}/{mat}/{ASK}", f"topic readwrite {ROOT}/{mat}/{OWNER}"]
        lines += [f"topic write {name}" for name in announcement(mat, DEFAULT)]
    return "\n".join(lines) + "\n"
