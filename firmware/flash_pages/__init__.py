"""Code, names and tables that are used where they lie in the flash."""

held = None  # names.py keeps here the names that no page holds: it is itself let go after the start
