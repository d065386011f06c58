"""The one way in which a command fails."""

DONE = 0
FAILED = 1
BAD_INPUT = 2


class HostError(Exception):
    """A command cannot go on. `message` is one line that says what to do; `exit_code` is FAILED
    when the work failed, BAD_INPUT when the usage or the input was wrong.
    """

    def __init__(self, exit_code: int, message: str):
        super().__init__(message)
        self.exit_code = exit_code
        self.message = message
