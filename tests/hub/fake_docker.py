"""Docker, as far as `make club` needs it: `compose ls`, `up` and `down`. What `up` starts as the
broker is a mosquitto of this computer, with the files that its container would be given.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import yaml


def main(words):
    if words[:2] == ["compose", "ls"]:
        return 0 if os.environ["FAKE_DOCKER_ENGINE"] else 1
    folder, at = Path(words[words.index("--project-directory") + 1]), words.index("--project-name")
    services = yaml.safe_load(filled_in((folder / "compose.yml").read_text()))["services"]
    database = services["database"]
    password = database["environment"]["POSTGRES_PASSWORD"]
    with open(os.environ["FAKE_DOCKER_CALLS"], "a") as calls:
        port = database["ports"][0].split(":")[-2]
        print(words[at + 1], *words[at + 2 :], password, port, file=calls)
    pid = folder / "broker.pid"
    if words[at + 2] == "down":
        if pid.exists():
            os.kill(int(pid.read_text()), signal.SIGTERM)
        return 0
    program = os.environ["FAKE_DOCKER_MOSQUITTO"]
    if not program:
        return 1
    broker = services["broker"]
    address, port, inside = broker["ports"][0].split(":")
    paths = dict(mount.split(":")[1::-1] for mount in broker["volumes"])
    text = (folder / paths.pop("/mosquitto/config/mosquitto.conf")).read_text()
    text = text.replace(f"listener {inside}", f"listener {port} {address}")
    for there, here in paths.items():
        if here.startswith("./"):
            assert (folder / here).stat().st_mode & 0o004, f"{here}: the container's user reads it"
        text = text.replace(there, str(folder / here))
    (folder / "broker").mkdir()
    if os.geteuid() == 0:
        text += "user root\n"
    (folder / "here.conf").write_text(text)
    started = subprocess.Popen([program, "-c", str(folder / "here.conf")], start_new_session=True)
    pid.write_text(str(started.pid))
    return 0


def filled_in(text):
    """The variables of a compose file (compose-spec, 12-interpolation)."""

    def value(found):
        name, how, other = found.groups()
        if not os.environ.get(name) and how == ":?":
            raise SystemExit(other)
        return os.environ.get(name) or other

    return re.sub(r"\$\{(\w+)(:[-?])([^}]*)\}", value, text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
