"""`python -m polarity_host.simulation.twin`: prints the twin's speed, times real time, as JSON."""

import json

from .speed import measure

print(json.dumps(measure()))
