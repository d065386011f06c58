"""The azimuth of a point on the mat, in integers."""


def azimuth_deg(x: int, y: int) -> int:
    """The azimuth 0-359 of (x, y) in any unit, counter-clockwise from the x axis; 0 for (0, 0).

    Accurate to 1°: atan(s) for 0 <= s <= 1 is approximated by s * (45 + 16 * (1 - s)) degrees.
    """
    a, b = abs(x), abs(y)
    low, high = (a, b) if a < b else (b, a)
    if not high:
        return 0
    share = (low << 10) // high
    angle = (share * (45 * 1024 + 16 * (1024 - share)) + (1 << 19)) >> 20
    if a < b:
        angle = 90 - angle
    if x < 0:
        angle = 180 - angle
    return (360 - angle if y < 0 else angle) % 360
