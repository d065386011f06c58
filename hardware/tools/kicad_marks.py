"""What a board's file has besides parts, tracks and words: fiducials, and areas without copper."""

from collections.abc import Callable
from typing import TypeAlias

from .design_rules import FIDUCIAL_FREE_MM, FIDUCIAL_MM
from .layout import Fiducial, KeepOut

At: TypeAlias = Callable[[float, float], str]  # (x, y) of a board as the file has it
Id: TypeAlias = Callable[..., str]


def fiducial(number: int, dot: Fiducial, at: At, made_id: Id) -> str:
    """A fiducial as KiCad's library has it (Fiducial_1mm_Mask2mm)."""
    side, free = dot.layer, (FIDUCIAL_FREE_MM - FIDUCIAL_MM) / 2
    name = f"FID{number}"
    mirror = " (justify mirror)" if side == "B" else ""
    font = f"(effects (font (size 0.5 0.5) (thickness 0.08)){mirror})"
    return "\n".join([
        f'  (footprint "Fiducial:Fiducial_1mm_Mask2mm" (layer "{side}.Cu") {made_id(name)}',
        f"    (at {at(dot.x, dot.y)})",
        "    (attr smd exclude_from_pos_files exclude_from_bom)",
        f'    (fp_text reference "{name}" (at 0 0) (layer "{side}.Fab") {font} '
        f"{made_id(name, 'reference')})",
        f'    (fp_text value "fiducial" (at 0 1) (layer "{side}.Fab") {font} '
        f"{made_id(name, 'value')})",
        f'    (pad "" smd circle (at 0 0) (size {FIDUCIAL_MM} {FIDUCIAL_MM}) '
        f'(layers "{side}.Cu" "{side}.Mask") (solder_mask_margin {free}) (clearance {free}) '
        f"{made_id(name, 'pad')})",
        "  )",
    ])  # fmt: skip


def keep_out(area: KeepOut, at: At, made_id: Id) -> str:
    """An area where KiCad's own check lets no track, via, pad or plane be."""
    left, low, right, high = area.box
    corners = ((left, low), (right, low), (right, high), (left, high))
    points = " ".join(f"(xy {at(*corner)})" for corner in corners)
    kinds = ("tracks", "vias", "pads", "copperpour")
    rules = " ".join(f"({kind} not_allowed)" for kind in kinds)
    return (
        f'  (zone (net 0) (net_name "") (layer "{area.layer}.Cu") {made_id("keep out", area.name)} '
        f'(name "{area.name}") (hatch edge 0.508)\n'
        "    (connect_pads (clearance 0))\n"
        "    (min_thickness 0.2) (filled_areas_thickness no)\n"
        f"    (keepout {rules} (footprints allowed))\n"
        "    (fill (thermal_gap 0.2) (thermal_bridge_width 0.3))\n"
        f"    (polygon (pts {points}))\n  )"
    )
