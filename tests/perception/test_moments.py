"""Every disc has its own moment: learnt where the disc lies or leans, and kept."""

import pytest

from tests.perception.actions import lay, lean


def moments(told, piece):
    """(learnt, true) share of the nominal moment of the twin's `piece`."""
    nominal = told.stage.mat.disc.br_t
    x, y = piece.centre[:2]
    body = min(
        told.tracker.bodies,
        key=lambda b: abs(b.pose[0] / 256 - x) + abs(b.pose[1] / 256 - y),
    )
    return body.pose[6] / 1024, abs(piece.discs[0].polarisation_t) / nominal


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_flat_disc_is_weighed_to_a_percent(play, seed):
    laid = []

    def script(stage):
        yield from stage.rest(0.6)
        laid.append((yield from lay(stage, 1, (40.0, -60.0))))

    learnt, true = moments(play(script, seed), laid[0])
    assert learnt == pytest.approx(true, abs=0.012)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_leaner_is_weighed_to_two_percent(play, seed):
    laid = []

    def script(stage):
        yield from stage.rest(0.6)
        laid.append((yield from lean(stage, 1, (40.0, -60.0), 30.0, 45.0)))

    learnt, true = moments(play(script, seed), laid[0])
    assert learnt == pytest.approx(true, abs=0.02)
