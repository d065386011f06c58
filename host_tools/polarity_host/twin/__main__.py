"""`python -m polarity_host.twin`: prints how much faster than real time the twin runs, as JSON."""

import json

from .speed import measure

print(json.dumps(measure()))
