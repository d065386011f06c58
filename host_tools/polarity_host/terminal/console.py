"""The console that commands print on."""

from rich.console import Console


class CommandConsole(Console):
    """A rich console for a stream that may go away: a broken pipe is the caller's to handle."""

    def on_broken_pipe(self) -> None:
        """Called in the handler of the BrokenPipeError: passes it on instead of exiting."""
        raise


class ProgressConsole(CommandConsole):
    """A console whose cursor stays visible: a killed program cannot bring a hidden one back."""

    def show_cursor(self, show: bool = True) -> bool:
        """Does nothing."""
        return False
