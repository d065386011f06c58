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
                "this Pico runs MicroPython, not the mat: `polarity flash {url}` puts the mat's "
                "program on it",
                url=self._url,
            )
