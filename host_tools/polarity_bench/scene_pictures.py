"""Pictures of one random scene: the field at the sensors, the residual once the fields of the
reported pieces are subtracted, and those pieces over the true ones.

    python -m polarity_bench.scene_pictures --seed 104 --into firmware/polarity/perception/pictures

writes field.svg, residual.svg and scene.svg.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from polarity_host.mats.description import Mat, load_mat
from polarity_host.mats.disc_field import bz_mt
from polarity_host.replay.engine import build_engine, raw_counts
from polarity_host.simulation.twin.motion import Vector, upward_normal
from polarity_host.simulation.twin.nuisances import ALL, NAMES, condition
from polarity_host.simulation.twin.pieces import TwinDisc, leaner_pose
from polarity_host.simulation.twin.stage import PieceState

from .scene_answers import Answer, answer_of, reported_pieces
from .scenes import Look, Scene

SIZE_MM = 560.0  # of a picture's side
FIELD_MT, RESIDUAL_MT = 50.0, 2.0  # full colour
RIM_POINTS = 48
RED, BLUE, GREY = (196, 30, 58), (20, 80, 180), (245, 245, 245)
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {left} {size} {size}" '
    'font-family="sans-serif" font-size="11"><title>{title}</title>'
    '<rect x="{left}" y="{left}" width="{size}" height="{size}" fill="white"/>\n'
)


def pictures(seed: int, nuisances: str = ALL, mat: Mat | None = None) -> dict[str, str]:
    """{"field", "residual", "scene"}: SVG texts of the last look at a scene. An engine's error goes
    through."""
    mat = mat or load_mat()
    scene = Scene(seed, mat, condition(nuisances))
    engine = build_engine(mat.id, mat.edition)
    last: Look | None = None
    answered: list[Answer] = []
    for t_us, counts, look in scene.frames():
        engine.frame(t_us // 1000, raw_counts(counts))
        engine.read(1 << 16)
        if look:
            last, answered = look, [answer_of(piece) for piece in reported_pieces(engine)]
    if last is None:
        raise ValueError(f"no look at the scene of seed {seed}")
    field_mt = (last.counts - last.bare_counts) / mat.counts_per_mt
    left_mt = field_mt - answered_field_mt(answered, mat)
    about = f"seed {seed}, nuisances {nuisances}, {last.t_us / 1e6:.0f} s"
    return {
        "field": _sensors(field_mt, FIELD_MT, mat, f"The field at the sensors: {about}"),
        "residual": _sensors(
            left_mt, RESIDUAL_MT, mat, f"The residual of the reported pieces: {about}"
        ),
        "scene": scene_picture(
            last.truth, answered, mat, f"Reported (lines) over true (filled): {about}"
        ),
    }


def answered_field_mt(answered: Sequence[Answer], mat: Mat) -> Vector:
    """(n,) the exact field of the pieces that the engine reports, of nominal moment."""
    total = np.zeros(mat.n)
    for answer in answered:
        centre, axis, thickness = _pose(answer, mat)
        br_t = (mat.red_disc if answer["shape"] == "red" else mat.disc).br_t
        radius = mat.disc.diameter_mm / 2
        total += bz_mt(
            centre, axis * answer["face"] * mat.disc.white_up_counts, radius, thickness, br_t,
            mat.sensor_xyz_mm,
        )[0]  # fmt: skip
    return total


def _pose(answer: Answer, mat: Mat) -> tuple[Vector, Vector, float]:
    """(centre, normal of the upper face, height of the stack) of an answer."""
    height = answer["discs"] * mat.disc.thickness_mm
    if answer["shape"] != "leaner":
        return np.array([answer["x"], answer["y"], height / 2]), np.array([0.0, 0.0, 1.0]), height
    disc = TwinDisc(replace(mat.disc, thickness_mm=height))
    place = answer["x"], answer["y"]
    centre, axis = leaner_pose(disc, place, answer["azimuth"], answer["tilt"], 1)
    return centre, axis, height


def _sensors(values_mt: Vector, full_mt: float, mat: Mat, title: str) -> str:
    """Every sensor as a disc of its colour: red up, blue down, full at `full_mt`."""
    parts = [_begin(title), _circle(mat)]
    for (x, y, _), value in zip(mat.sensor_xyz_mm, values_mt):
        share = float(np.clip(value / full_mt, -1.0, 1.0))
        colour = "rgb({},{},{})".format(
            *(round(g + abs(share) * (c - g)) for g, c in zip(GREY, RED if share > 0 else BLUE))
        )
        parts.append(
            f'<circle cx="{x:.1f}" cy="{-y:.1f}" r="9.5" fill="{colour}" stroke="#999" '
            f'stroke-width="0.3"><title>{value:.2f} mT</title></circle>\n'
        )
    parts.append(_words(f"{title}; full colour at ±{full_mt:g} mT, red up"))
    return "".join(parts) + "</svg>\n"


def scene_picture(
    truth: Sequence[PieceState], answered: Sequence[Answer], mat: Mat, title: str
) -> str:
    """True pieces filled with the colour up, the engine's as outlines, what differs in red."""
    parts = [_begin(title), _circle(mat)]
    radius = mat.disc.diameter_mm / 2
    for piece in sorted(truth, key=lambda piece: piece.tilt_deg):
        up = upward_normal(piece.tilt_deg, piece.azimuth_deg)
        half = (piece.discs - 1) / 2 * mat.disc.thickness_mm * up
        centre = np.array([piece.x_mm, piece.y_mm, piece.z_mm]) + half
        fill = "#d33" if piece.shape == "red" else "#fff" if piece.face > 0 else "#555"
        parts.append(_rim(centre, up, radius, f'fill="{fill}" stroke="#888" fill-opacity="0.8"'))
        if piece.discs > 1:
            parts.append(_number(centre, piece.discs, "#888"))
    for answer in answered:
        centre, axis, _ = _pose(answer, mat)
        near = [p for p in truth if np.hypot(p.x_mm - centre[0], p.y_mm - centre[1]) < 20.0]
        right = any((p.shape, p.face, p.discs) == _kind(answer) for p in near)
        style = f'fill="none" stroke="{"#07a" if right else "#e00"}" stroke-width="1.4"'
        parts.append(_rim(centre, axis, radius, style))
    parts.append(_words(title))
    return "".join(parts) + "</svg>\n"


def _kind(answer: Answer) -> tuple[str, int, int]:
    return answer["shape"], answer["face"], answer["discs"]


def _rim(centre: Vector, axis: Vector, radius: float, style: str) -> str:
    """The disc's middle circle, seen from above."""
    side = np.cross(axis, (0.3, 0.9, 0.1))
    side /= np.linalg.norm(side)
    angle = np.linspace(0, 2 * np.pi, RIM_POINTS, endpoint=False)
    rim = np.outer(np.cos(angle), side) + np.outer(np.sin(angle), np.cross(axis, side))
    points = " ".join(f"{x:.1f},{-y:.1f}" for x, y in (centre + radius * rim)[:, :2])
    return f'<polygon points="{points}" {style}/>\n'


def _number(centre: Vector, number: int, colour: str) -> str:
    x, y = centre[0], -centre[1] + 4
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="middle">{number}</text>\n'


def _begin(title: str) -> str:
    return HEAD.format(left=-SIZE_MM / 2, size=SIZE_MM, title=title)


def _circle(mat: Mat) -> str:
    return f'<circle r="{mat.circle_radius_mm}" fill="#f4efe2" stroke="#333"/>\n'


def _words(text: str) -> str:
    return f'<text x="{-SIZE_MM / 2 + 8}" y="{SIZE_MM / 2 - 8}" fill="#333">{text}</text>\n'


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line of this module."""
    parser = argparse.ArgumentParser(
        prog="polarity_bench.scene_pictures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=104, help="of the scene (default: 104)")
    parser.add_argument("--nuisances", choices=NAMES, default=ALL)
    parser.add_argument("--into", type=Path, default=Path("."), metavar="DIR")
    args = parser.parse_args(arguments)
    args.into.mkdir(parents=True, exist_ok=True)
    for name, text in pictures(args.seed, args.nuisances).items():
        (args.into / f"{name}.svg").write_text(text, encoding="utf-8")
        print(args.into / f"{name}.svg")


if __name__ == "__main__":
    main()
