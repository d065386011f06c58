"""Host side of the instrumented Polarity mat: link, store, recordings, replay and the twin."""

from polarity_host.sources import provide_engine

provide_engine()
