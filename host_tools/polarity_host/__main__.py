"""The `polarity` command; also `python -m polarity_host`."""

import sys

from polarity_host.errors import INTERRUPTED


def main() -> int:
    """Runs the command line; Ctrl-C ends it quietly even while it is still being imported."""
    try:
        from polarity_host import cli

        return cli.main()
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
