"""The hub of a hall: takes what many mats publish, stores it in one database, and shows all boards.

`intake` receives from the broker, `record` is the database with its `schema`, `hall` what is shown
now, `server` shows it. README.md beside it describes the whole.
"""
