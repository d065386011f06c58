"""The chip has no time for each frame while several bodies move: it is seldom wrong even so."""

import json
import subprocess
import sys

# At 125 MHz a hand alone takes the chip 6 ms a frame, two bodies 12 (`polarity bench device`), and
# more of them, or what is not understood at once, some 30.
FRAME_MS = "6,29"


def test_a_game_of_which_the_chip_sees_every_third_frame_is_told_right():
    game = "bench facts --seeds 101 --turns 8 --jobs 1 --json --frame-ms".split()
    command = [sys.executable, "-m", "polarity_host.cli", *game, FRAME_MS]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert told["facts"] > 40
    assert told["missed"] <= 2 and told["invented"] <= 2, told["details"]
