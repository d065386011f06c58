"""The digital twin: exact fields, real sensors and ADC, and a stage for scripted hands."""
