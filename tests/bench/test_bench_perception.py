"""The figures of `polarity bench perception`, and the rivals on the same frames."""

from dataclasses import replace

import numpy as np
import pytest

from polarity_bench import exact_fit, perception_figures, scene_answers, threshold
from polarity_bench.scenes import Look, Scene
from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.condition import CLEAN, MatCondition
from polarity_host.simulation.twin.stage import Stage
from tests.perception.actions import appear


@pytest.fixture(scope="module")
def mat():
    return load_mat("standard")


def looked_at(mat, script, condition=CLEAN, seed=1, frames=16):
    """(Look, exact field in mT) of a scene that a script sets up."""
    stage = Stage(mat, seed, condition)
    bare = np.array([c for _, c in stage.stream(stage.rest(0.5))], float)
    script(stage)
    fields = stage.instruments.field.frames
    seen = []
    stage.instruments.field.frames = lambda *args: seen.append(fields(*args)) or seen[-1]
    counts = np.array([c for _, c in stage.stream(stage.rest(frames / 100))], float)
    truth = tuple(stage.scene())
    means = bare.mean(axis=0), counts.mean(axis=0)
    look = Look(stage.t_us, truth, *means, bare.std(axis=0), np.zeros(mat.n))
    return look, seen[-1][-1]


def some(stage):
    appear(stage, 1, (0.0, 3.0))
    appear(stage, -1, (60.0, 60.0), discs=4)
    appear(stage, 1, (40.0, -48.0), azimuth_deg=20.0, tilt_deg=40.0)
    appear(stage, -1, (-80.0, -48.0), azimuth_deg=-120.0, tilt_deg=62.0)


def test_the_model_is_the_twins_field(mat):
    look, field_mt = looked_at(mat, some)
    unknown = exact_fit.unknowns(look.truth, creases=False)
    model = exact_fit.SceneModel(look.truth, mat, unknown)
    values = exact_fit.true_values(look.truth, unknown, mat)
    assert model.fields_mt(values).sum(axis=0) == pytest.approx(field_mt, abs=1e-6)
    assert len(values) == 3 + 4 + 5 + 5


def test_a_towers_lowest_disc_has_a_moment_of_its_own(mat):
    def stacked(stage):
        appear(stage, 1, (20.0, 3.0), discs=3)
        stage.pieces[0].discs[0].polarisation_t *= 1.05

    look, field_mt = looked_at(mat, stacked)
    unknown = exact_fit.unknowns(look.truth, creases=False)
    values = exact_fit.true_values(look.truth, unknown, mat)
    values[unknown.of(0, "lowest")] = 0.05
    model = exact_fit.SceneModel(look.truth, mat, unknown)
    assert model.fields_mt(values)[0] == pytest.approx(field_mt, abs=1e-6)


def test_a_fit_scatters_as_the_limit_says(mat):
    """Cramer and Rao: no unbiased estimate scatters less, and least squares comes near it."""
    look, field_mt = looked_at(mat, some)
    look = replace(look, noise_counts=np.full(mat.n, 8 * mat.counts_per_mt / 10))  # 0.8 mT a frame
    unknown, covariance = exact_fit.fisher(
        look.truth, look, mat, 16, replace(CLEAN, moment_sigma=0.03), "known"
    )
    rng, errors = np.random.default_rng(1), []
    for _ in range(24):
        noisy = field_mt + rng.normal(0.0, 0.2, mat.n)
        counts = look.bare_counts + noisy * mat.counts_per_mt
        there, values = exact_fit.fit(look.truth, replace(look, counts=counts), mat, 16, CLEAN, rng)
        errors.append(values - exact_fit.true_values(look.truth, there, mat))
    assert there.names == unknown.names
    places = [k for k, name in enumerate(unknown.names) if name in ("x", "y")]
    found = np.sqrt(np.mean(np.square(errors), axis=0))[places]
    limit = np.sqrt(np.diag(covariance))[places]
    assert np.mean(found / limit) == pytest.approx(1.1, abs=0.35)


def test_creases_make_the_limit_worse(mat):
    look, _ = looked_at(mat, lambda stage: appear(stage, 1, (0.0, 3.0)))
    sharp, wide = (
        exact_fit.fisher(look.truth, look, mat, 16, MatCondition(crease_tilt_deg=deg))
        for deg in (0.0, 2.0)
    )
    assert wide[1][0, 0] > 1.3 * sharp[1][0, 0]


def test_the_adc_leaves_what_was_measured_of_chips(mat):
    """Up to 8 LSB (see tests/simulation/twin/test_sensors.py) are 0.43 mT; none at the zero."""
    at, rms, spread = exact_fit.adc_error_mt(
        mat.id, mat.counts_per_mt, mat.oversample, mat.zero_count, mat.bits_per_conversion
    )
    assert 0.2 < rms.max() < 0.43 and (spread <= rms + 1e-9).all()
    assert rms[np.abs(at) < 0.6].max() < 0.05


def test_dead_and_saturated_sensors_say_nothing(mat):
    look, _ = looked_at(mat, some, replace(CLEAN, dead_sensors=2))
    field_mt = np.zeros(mat.n)
    field_mt[7] = 87.0
    sigma = exact_fit.sigma_mt(look, field_mt, mat, 16)
    assert np.isinf(sigma[7]) and np.count_nonzero(np.isinf(sigma)) == 3


def test_a_threshold_finds_discs_to_a_sensor(mat):
    look, field_mt = looked_at(mat, lambda stage: appear(stage, -1, (46.0, 2.0)))
    assert threshold.pieces(field_mt, mat) == [(44.0, 0.0, -1)]


def answer(**fields):
    return {"id": 4, "shape": "flat", "face": 1, "discs": 1, "x": 0.0, "y": 0.0, "tilt": 0,
            "azimuth": 0, **fields}  # fmt: skip


def test_answers_go_with_the_nearest_pieces(mat):
    look, _ = looked_at(mat, some)
    flat, tower, leaner, _ = look.truth
    said = [
        answer(x=0.3, y=3.4),
        answer(x=40.5, y=-48.0, shape="leaner", tilt=43, azimuth=20),
        answer(x=150.0),
    ]
    found, invented = scene_answers.matched(look.truth, said, mat)
    assert found == {0: said[0], 2: said[1]} and invented == [2]
    row = scene_answers.body_row(flat, said[0], mat)
    assert row["off_mm"] == pytest.approx(0.5) and row["face"] and row["kind"] and row["height"]
    row = scene_answers.body_row(leaner, said[1], mat)
    assert (row["off_mm"], row["tilt_deg"]) == pytest.approx((0.5, 3.0))
    assert scene_answers.body_row(tower, None, mat)["found"] is False


def test_pairs_that_touch_and_that_do_not(mat):
    def script(stage):
        for xy in ((0.0, 0.0), (34.0, 0.0), (100.0, 0.0), (135.0, 0.0), (0.0, 120.0)):
            appear(stage, 1, xy)

    look, _ = looked_at(mat, script)
    found = {i: {"id": i + 10} for i in range(5)}
    rows = scene_answers.touching_pairs(look.truth, found, [(10, 11), (10, 14)], mat)
    told = sorted(row[:2] for row in rows)
    assert told == [(False, False), (False, True), (True, True)]
    assert perception_figures._f1(rows) == pytest.approx(2 / 3, abs=1e-4)


@pytest.mark.parametrize("seed", [104])
def test_a_scene_comes_to_rest_at_each_look(mat, seed):
    scene = Scene(seed, mat, CLEAN)
    scene.stage.instruments.sensors.counts = lambda t_us, bz: np.zeros((len(t_us), mat.n))
    scene.stage.instruments.field.frames = lambda moves, wrists: None
    looks = [look for *_, look in scene.frames() if look]
    assert len(looks) == 3
    shapes = [piece.shape for piece in looks[-1].truth]
    assert shapes.count("red") == 1 and {"flat", "leaner"} <= set(shapes)
    assert len(looks[0].truth) < len(looks[1].truth) < len(looks[2].truth)


def test_what_is_no_piece_is_told_apart(mat):
    """With every piece's field and the background taken away, noise and gain errors are left."""
    disturbed = MatCondition(**{**CLEAN.__dict__, "warming_c": 10.0, "warming_time_s": 20.0,
                                "reserve_gap_mm": 60.0, "phone_gap_mm": 150.0})  # fmt: skip
    scene = Scene(104, mat, disturbed)
    look = next(look for *_, look in scene.frames() if look)
    unknown = exact_fit.unknowns(look.truth, creases=False)
    values = exact_fit.true_values(look.truth, unknown, mat)
    model = exact_fit.SceneModel(look.truth, mat, unknown)
    there = model.fields_mt(values).sum(axis=0)
    beyond = (look.counts - look.bare_counts) / mat.counts_per_mt - there
    quiet = np.abs(there) < 0.5
    assert np.abs(beyond[quiet]).max() > 0.25
    assert np.abs((beyond - look.background_mt)[quiet]).max() < 0.12


def test_the_keys_that_are_asked_for(mat):
    figures = perception_figures.figures([])
    names = """flat_rms_mm flat_p999_mm leaner_rms_mm leaner_tilt_rms_deg flat_over_fisher
        leaner_over_fisher flat_over_lsq leaner_over_lsq face_right kind_right height_right touch_f1
        scenes bodies missed invented threshold_flat_rms_mm threshold_face_right"""
    assert set(names.split()) <= set(figures)
