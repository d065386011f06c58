"""Whether a mat keeps to firmware/PROTOCOL.md, seen from its port alone.

Nothing here uses the host's own reader of the wire: a mat and a host that make the same mistake
would not notice it. The game on the mat goes on; no setting is changed.
"""

import binascii
import json
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from polarity_host.device.ports import Port
from polarity_host.device.prompt import Prompt
from polarity_host.errors import FAILED, HostError, SaidError

HEAD = ["v", "b", "n", "t", "k"]
NUMBERED = ("game", "fact", "ruling", "log")
LINE_BYTES = 4096
ANSWER_S = 10.0
FRAMES_S = 5.0
MANY = 40
AT_ONCE = 16
HELLO = {"name": str, "version": str, "mat": str, "sensors": int, "edition": str, "caps": list,
         "frame_hz": int, "first": int}  # fmt: skip
SNAP = {"edition": str, "pieces": list, "state": dict}
HEALTH = {"frames": int, "lost": int, "unsent": int, "masked": list, "why": str}
SETTINGS = {"mat": str, "edition": str, "brightness": int, "port_ma": int, "oversample": int,
            "later": list, "kept": bool}  # fmt: skip
FRAME = {"us": int, "counts": str}

Json = dict[str, Any]


class Broken(SaidError):
    """The mat does not keep to what is checked."""


@dataclass(frozen=True)
class Finding:
    """What came of one check; `wrong` says what the mat did instead, None if it keeps to it."""

    check: str
    wrong: Broken | None

    def fields(self) -> dict[str, str]:
        """For JSON, in English."""
        return {"check": self.check, "wrong": str(self.wrong or "")}


class Conformance:
    """Checks the mat on a port. `findings` yields what came of each check; HostError when no mat
    answers."""

    def __init__(self, port: Port, clock: Callable[[], float] = time.monotonic):
        self._port, self._clock = port, clock
        self._prompt = Prompt(port.url)
        self._rest = b""
        self._boot: int | None = None
        self._newest = 0  # the highest number of a numbered message
        self._sensors = 0
        self._faults: list[str] = []  # of lines

    def findings(self) -> Iterator[Finding]:
        """Runs every check."""
        if not self._asked("hello", "hello"):
            raise HostError(FAILED, "no mat answers `hello` here; `polarity ports` lists the ports")
        for check in (
            self.hello_tells_the_mat, self.snap_is_followed_by_health_and_ack,
            self.second_snap_comes_later, self.what_is_no_command_is_refused,
            self.line_ends, self.many_lines_at_once, self.resume_from_the_first,
            self.resume_of_nothing, self.frames, self.flight, self.settings,
            self.what_players_declare_is_answered, self.lines_are_well_formed,
        ):  # fmt: skip
            wrong = None
            try:
                check()
            except Broken as broken:
                wrong = broken
            yield Finding(check.__name__.replace("_", " "), wrong)

    # ---- checks
    def hello_tells_the_mat(self) -> None:
        (hello, *_), ack = self._command("hello", "hello")
        _fields(hello, HELLO)
        self._sensors = hello["sensors"]
        if ack["ok"] is not True or ack["why"] != "":
            raise Broken("the ack is {ack}", ack=ack)

    def snap_is_followed_by_health_and_ack(self) -> None:
        self._quiet(1.2)  # a second after any other
        seen: list[Json] = []
        self._send("snap")
        ack = self._ack("snap", seen)
        kinds = [message["k"] for message in seen if message["k"] in ("snap", "health")]
        if not ack["ok"] or kinds != ["snap", "health"]:
            raise Broken("{kinds} came before the ack, which says {ok}", kinds=kinds, ok=ack["ok"])
        _fields(next(one for one in seen if one["k"] == "snap"), SNAP)
        _fields(next(one for one in seen if one["k"] == "health"), HEALTH)

    def second_snap_comes_later(self) -> None:
        seen: list[Json] = []
        self._send("snap")
        self._ack("snap", seen)
        self._until(lambda: any(one["k"] == "snap" for one in seen), seen)

    def what_is_no_command_is_refused(self) -> None:
        for line, echo, why in (
            (b"dance", "dance", "unknown"),
            (b"resume", "resume", "argument"),
            (b"frames up", "frames up", "argument"),
            (b"hello you", "hello you", "argument"),
            (b"x" * 81, "x" * 80, "too long"),
            (b"sn\xe4p", "sn?p", "not text"),
        ):
            self._raw(line + b"\n")
            ack = self._ack(echo, [])
            if ack["ok"] is not False or ack["why"] != why:
                raise Broken(
                    "{line!r} gets ok {ok} and {found!r}, not {why!r}",
                    line=line,
                    ok=ack["ok"],
                    found=ack["why"],
                    why=why,
                )

    def line_ends(self) -> None:
        for end in (b"\n", b"\r", b"\r\n"):
            self._raw(b"dance" + end + end)
            self._ack("dance", [])
        seen = self._quiet(0.5)
        if any(one["k"] == "ack" for one in seen):
            raise Broken("an empty line gets an ack")

    def many_lines_at_once(self) -> None:
        seen: list[Json] = []
        self._raw(b"dance\n" * MANY)
        self._until(lambda: _acks(seen), seen)
        while later := _acks(self._quiet(2.0)):
            seen += later
        acks = _acks(seen)
        refused = [ack for ack in acks if ack["why"] == "too many"]
        if len(acks) < MANY and not refused:
            raise Broken(
                "{MANY} lines got {acks} acks, and none says `too many`",
                MANY=MANY,
                acks=len(acks),
            )
        if len(acks) - len(refused) < min(AT_ONCE, MANY):
            raise Broken(
                "only {taken} of {MANY} lines were taken", taken=len(acks) - len(refused), MANY=MANY
            )

    def resume_from_the_first(self) -> None:
        (hello, *_), _ = self._command("hello", "hello")
        seen: list[Json] = []
        self._send("resume 1")
        ack = self._ack("resume 1", seen)
        if not ack["ok"]:
            raise Broken("`resume 1` is refused: {why}", why=ack["why"])
        due = 1
        for message in seen:
            if message["k"] == "gap":
                if message["first"] > due or message["last"] < due:
                    raise Broken(
                        "a gap from {first} to {last}, due is {due}",
                        first=message["first"],
                        last=message["last"],
                        due=due,
                    )
                due = message["last"] + 1
            elif message["k"] in NUMBERED:
                if message["n"] > due:
                    raise Broken(
                        "number {number} follows {before}", number=message["n"], before=due - 1
                    )
                due = max(due, message["n"] + 1)
        if due <= hello["n"]:
            raise Broken(
                "it ends at {last}, but the mat is at {newest}", last=due - 1, newest=hello["n"]
            )

    def resume_of_nothing(self) -> None:
        for number in (0, 2_000_000_000):
            self._send(f"resume {number}")
            if self._ack(f"resume {number}", [])["ok"]:
                raise Broken("`resume {number}` is not refused", number=number)

    def frames(self) -> None:
        seen: list[Json] = []
        self._send("frames on")
        self._ack("frames on", seen)
        try:
            self._until(lambda: any(one["k"] == "frame" for one in seen), seen, FRAMES_S)
        finally:
            self._send("frames off")
            self._ack("frames off", [])
        frame = next(one for one in seen if one["k"] == "frame")
        _fields(frame, FRAME)
        counts = binascii.a2b_base64(frame["counts"])
        if len(counts) != 2 * self._sensors:
            raise Broken(
                "a frame has {length} bytes for {sensors} sensors",
                length=len(counts),
                sensors=self._sensors,
            )
        self._quiet(0.5)
        if any(one["k"] == "frame" for one in self._quiet(1.0)):
            raise Broken("frames come after `frames off`")

    def flight(self) -> None:
        for word in ("on", "off"):
            self._send(f"flight {word}")
            if not self._ack(f"flight {word}", [])["ok"]:
                raise Broken("`flight {word}` is refused", word=word)

    def settings(self) -> None:
        (settings, *_), _ = self._command("settings", "settings")
        _fields(settings, SETTINGS)
        for line in ("set", "set nothing 1", "set brightness 0", "set brightness much"):
            self._send(line)
            if self._ack(line, [])["ok"]:
                raise Broken("`{line}` is not refused", line=line)

    def what_players_declare_is_answered(self) -> None:
        for line in ("overrule 2000000000 denied", "undo 2000000000", "answer 2000000000 yes"):
            self._send(line)
            ack = self._ack(line, [])
            if ack["ok"] or not ack["why"]:
                raise Broken(
                    "`{line}` gets ok {ok} and {found!r}",
                    line=line,
                    ok=ack["ok"],
                    found=ack["why"],
                )

    def lines_are_well_formed(self) -> None:
        if self._faults:
            raise Broken("{fault} (one of {count})", fault=self._faults[0], count=len(self._faults))

    # ---- the wire
    def _command(self, line: str, kind: str) -> tuple[list[Json], Json]:
        seen: list[Json] = []
        self._send(line)
        ack = self._ack(line, seen)
        answers = [message for message in seen if message["k"] == kind]
        if not answers:
            raise Broken("no {kind} before the ack of `{line}`", kind=kind, line=line)
        return answers, ack

    def _asked(self, line: str, kind: str) -> bool:
        try:
            self._command(line, kind)
        except Broken:
            return False
        return True

    def _ack(self, line: str, seen: list[Json]) -> Json:
        """The ack of a line; what came before it is added to `seen`."""
        found: list[Json] = []

        def arrived() -> bool:
            found.extend(one for one in _acks(seen) if one.get("cmd") == line and one not in found)
            return bool(found)

        self._until(arrived, seen)
        ack = found[0]
        del seen[seen.index(ack) :]
        return ack

    def _until(
        self, true: Callable[[], object], seen: list[Json], patience_s: float = ANSWER_S
    ) -> None:
        end_s = self._clock() + patience_s
        while not true():
            if self._clock() > end_s:
                raise Broken("nothing like it within {patience_s:g} s", patience_s=patience_s)
            seen += self._receive()

    def _quiet(self, seconds: float) -> list[Json]:
        seen, end_s = [], self._clock() + seconds
        while self._clock() < end_s:
            seen += self._receive()
        return seen

    def _send(self, line: str) -> None:
        self._port.write_line(line)

    def _raw(self, data: bytes) -> None:
        self._port.write(data)

    def _receive(self) -> list[Json]:
        data = self._port.read()
        if self._boot is None:  # nothing of a mat has come yet
            self._prompt.check(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [one for line in lines if (one := self._message(line.strip(b"\r"))) is not None]

    def _message(self, line: bytes) -> Json | None:
        if not line:
            return None
        try:
            message = self._parsed(line)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            if self._boot is not None:  # the first may be the end of a line
                self._faults.append(f"{line[:60]!r}: {error}")
            return None
        self._boot = message["b"] if self._boot is None else self._boot
        if message["b"] != self._boot:
            self._faults.append(f"the boot changes from {self._boot} to {message['b']}")
        return message

    def _parsed(self, line: bytes) -> Json:
        if len(line) + 1 > LINE_BYTES:
            raise ValueError(f"a line of {len(line) + 1} bytes")
        if line[:1] != b"~" or line[9:10] != b" ":
            raise ValueError("no `~`, checksum and space")
        text = line[10:]
        if line[1:9] != b"%08x" % zlib.crc32(text):
            raise ValueError("its checksum is wrong")
        if any(not 0x20 <= byte < 0x7E for byte in text):
            raise ValueError("a character that is not printable ASCII, or a tilde")
        message = json.loads(text)
        if list(message)[:5] != HEAD or message["v"] != 1:
            raise ValueError(f"it begins with {list(message)[:5]}")
        return message


def _acks(seen: list[Json]) -> list[Json]:
    return [message for message in seen if message["k"] == "ack"]


def _fields(message: Json, wanted: dict[str, type]) -> None:
    for name, sort in wanted.items():
        value = message.get(name)
        if not isinstance(value, sort) or (sort is int and isinstance(value, bool)):
            raise Broken(
                "`{name}` of {kind} is {value!r}, not of type {sort}",
                name=name,
                kind=message["k"],
                value=value,
                sort=sort.__name__,
            )
    if [name for name in message if name in wanted] != list(wanted):
        raise Broken("the fields of {kind} come in another order", kind=message["k"])
