"""Host side of the instrumented Polarity mat: link, store, recordings, replay and the twin."""
