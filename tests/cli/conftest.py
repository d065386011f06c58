from tests.usb import usb  # noqa: F401
