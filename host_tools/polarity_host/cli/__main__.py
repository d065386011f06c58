"""`python -m polarity_host.cli`: the `polarity` command where it is not installed."""

import sys

from polarity_host.cli import main

sys.exit(main())
