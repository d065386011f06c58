"""The host's commands: plain text lines that a person can type, bounded in every way."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    Argument = int | str | list[str] | None
    Command = tuple[str, Argument, str]  # name, argument, line

#: Longest command in bytes, line end not counted.
MAX_COMMAND_BYTES = 80
#: Commands taken from one chunk; what comes beyond is refused together.
MAX_COMMANDS = 16

#: Command and the sort of its argument: None for none, "int", "word", the words allowed, or "words"
#: for any number of words.
COMMANDS = (
    ("hello", None),
    ("resume", "int"),
    ("snap", None),
    ("frames", ("on", "off", "only")),
    ("flight", ("on", "off")),
    ("calibrate", "words"),
    ("settings", None),
    ("set", "words"),
    ("new", "word"),
    ("overrule", "words"),
    ("answer", "words"),
    ("undo", "words"),
    ("reserve", "words"),
    ("capture", "words"),
    ("declare", "words"),
    ("toss", "words"),
    ("double", "words"),
    ("take", "words"),
    ("pass", "words"),
)

_LARGEST = 0x7FFFFFFF


class CommandReader:
    """Turns the bytes that arrive from the host into commands. It holds at most one line."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._too_long = False

    def feed(self, chunk: bytes) -> "list[Command]":
        """The commands that `chunk` completes: a list of (name, argument, line).

        `argument` is an int for resume, a string for frames, flight and new, a list of words for
        set, calibrate and what players declare, else None. A line that is no
        command gives ("", reason, line), the reason being "unknown", "argument", "too long",
        "not text" or "too many"; `line` is what to echo in the ack, in printable ASCII. Lines end
        with CR, LF or both; empty ones are ignored. It never raises.
        """
        found = []
        for code in chunk:
            if code == 10 or code == 13:
                if self._line:
                    if len(found) >= MAX_COMMANDS:
                        if len(found) == MAX_COMMANDS:
                            found.append(("", "too many", ""))
                    else:
                        found.append(self._take())
                self._line = bytearray()
                self._too_long = False
            elif len(self._line) < MAX_COMMAND_BYTES:
                self._line.append(code)
            else:
                self._too_long = True
        return found

    def _take(self) -> "Command":
        text = True
        for index, code in enumerate(self._line):
            if code < 0x20 or code > 0x7E:
                self._line[index] = 0x3F
                text = False
        line = bytes(self._line).decode()
        if self._too_long:
            return ("", "too long", line)
        if not text:
            return ("", "not text", line)
        return parse(line)


def parse(line: str) -> "Command":
    """One line (printable ASCII) as (name, argument, line): see `CommandReader.feed`."""
    words = line.split()
    for name, sort in COMMANDS:
        if words and words[0] == name:
            if sort == "words":  # for polarity.rules.declarations, settings or calibration to read
                return (name, words[1:], line)
            if len(words) != (1 if sort is None else 2):
                return ("", "argument", line)
            if sort is None:
                return (name, None, line)
            argument = _argument(words[1], sort)
            if argument is None:
                return ("", "argument", line)
            return (name, argument, line)
    return ("", "unknown", line)


def _argument(word: str, sort: "str | tuple[str, ...]") -> "int | str | None":
    if sort == "int":
        for char in word:
            if not "0" <= char <= "9":
                return None
        if len(word) > 10 or int(word) > _LARGEST:
            return None
        return int(word)
    if sort == "word":
        for char in word:
            if not ("a" <= char <= "z" or "0" <= char <= "9" or char in "_+"):
                return None
        return word
    return word if word in sort else None
