"""The digital twin: exact fields, real sensors and ADC, and a stage on which discs are played."""
