"""Every file below hardware/ that is generated, and its text."""

from polarity_host.mats.description import load_mat, mat_names

from . import (
    board_picture,
    bom,
    costs,
    drawings,
    kicad,
    kicad_sch,
    pinouts,
    schematic,
    sheet_picture,
    silk,
    spice,
    trace,
    tracks,
)
from . import boards as layouts
from .netlist import netlist


def boards() -> dict[str, schematic.Board]:
    """Every board of every mat, by its netlist's name."""
    all_mats = [load_mat(name) for name in mat_names()]
    drawn = [schematic.tile(), schematic.led_arc(), *map(schematic.carrier, all_mats)]
    return {board.name: board for board in drawn}


def texts() -> dict[str, str]:
    """{path below hardware/: text}."""
    mat = load_mat()
    netlists = {name: netlist(board) for name, board in boards().items()}
    listed = bom.lines(mat, netlists)
    found = {f"netlists/{name}.net": text for name, text in netlists.items()}
    found |= {
        "BOM.md": bom.as_page(mat, listed) + costs.as_section(mat, netlists) + pinouts.as_section(),
        "bom.csv": bom.as_csv(listed),
    }
    for name, text in netlists.items():
        sheet = kicad_sch.schematic_text(name, trace.read(text))
        found[f"boards/{name}.kicad_sch"] = sheet
        found[f"drawings/{name}_schematic.svg"] = sheet_picture.picture(name, sheet).svg()
    found |= {f"spice/{name}.cir": deck for name, deck in spice.decks(mat).items()}
    for name in layouts.LAID_OUT:
        layout, routing = layouts.layout_of(name, mat, netlists[name]), tracks.stored(name)
        words = silk.words_on(layout)
        found[f"boards/{name}.kicad_pcb"] = kicad.board_text(layout, routing, words)
        found[f"boards/{name}.kicad_pro"] = kicad.project_text(name)
        found[f"drawings/{name}_tracks.svg"] = board_picture.board_svg(layout, routing)
    for name, drawing in drawings.drawings(mat).items():
        found[f"drawings/{name}.svg"] = drawing.svg()
        if name not in ("section", "cable", "folds", "plan_below", "cloth"):
            found[f"drawings/{name}.dxf"] = drawing.dxf()
    return found
