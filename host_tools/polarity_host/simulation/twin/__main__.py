"""`python -m polarity_host.simulation.twin`: prints how many times real time it runs, as JSON."""

import json

from .speed import measure

print(json.dumps(measure()))
