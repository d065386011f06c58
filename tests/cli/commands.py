"""What `polarity` can be asked to do."""

import argparse

from polarity_host import cli

(_ACTION,) = [a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction)]
NAMES = list(_ACTION.choices)
