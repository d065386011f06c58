"""The wire between mat and host: one line, one message (firmware/PROTOCOL.md).

`framing` wraps a text in a checked line, `messages` says which fields a message has, `ring` keeps
the last events for a host that missed them, `outbox` decides what is sent next, `commands` reads
what the host asks; `reading` is the host's half. Pure: no ports, no clock; the same bytes on
CPython and on MicroPython.
"""
