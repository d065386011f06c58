"""What is put on a mat's Pico: the firmware compiled, and laid out for its flash."""
