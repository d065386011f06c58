"""The wire between mat and host: one line, one message (firmware/PROTOCOL.md).

`framing` wraps a text in a checked line, `messages` defines the fields of a message, `ring` stores
the last events for a host that missed them, `outbox` decides what is sent next, `commands` parses
the host's commands; `reading` is the host's half. Pure: no ports, no clock; the same bytes on
CPython and on MicroPython.
"""
