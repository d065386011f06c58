"""What snaps to the red disc and does not come to rest has touched it all the same."""

import numpy as np

from tests.perception.actions import SETTLED_S, lay


def test_a_disc_that_flies_on_with_the_red_one_has_touched_it(play):
    snapped_us = []

    def script(stage):
        yield from stage.rest(0.5)
        red = yield from stage.place_red()
        disc = yield from lay(stage, -1, (50.0, 0.0))
        yield from stage.rest(SETTLED_S)
        start, on_it = disc.centre.copy(), red.centre + np.array([0.0, 0.0, 5.5])
        yield from stage.animate(
            0.08, lambda p: disc.move_to(start + p * (on_it - start), disc.axis.copy())
        )
        snapped_us.append(stage.t_us)
        starts = [(piece, piece.centre.copy()) for piece in (red, disc)]

        def drift(p):  # drawn on by others, one on the other
            for piece, centre in starts:
                piece.move_to(centre + p * np.array([-40.0, 25.0, 0.0]), piece.axis.copy())

        yield from stage.animate(0.4, drift)

    told = play(script, has_red=True)
    touched = told.only("touched_red")
    assert 0 <= touched.t_ms - snapped_us[0] / 1000 < 150
    assert touched.others == (1,)
