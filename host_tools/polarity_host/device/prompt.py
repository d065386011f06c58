"""MicroPython's own prompt, which a Pico answers with that does not run the mat's program."""

from polarity_host.errors import FAILED, HostError

PROMPT = b">>> "  # MicroPython, shared/runtime/pyexec.c: of the friendly REPL


class Prompt:
    """Looks for the prompt in what a port sends; `url` names the port."""

    def __init__(self, url: str):
        self._url, self._end = url, b""

    def check(self, chunk: bytes) -> None:
        """Takes what was read, b"" when nothing came. HostError when nothing comes after a prompt:
        then MicroPython waits for input."""
        if chunk:
            self._end = (self._end + chunk)[-len(PROMPT) :]
        elif self._end == PROMPT:
            raise HostError(
                FAILED,
                f"the board at {self._url} runs MicroPython, but not the mat's program: "
                f"`polarity flash {self._url}` puts it there",
            )
