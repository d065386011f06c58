"""`polarity mat`: describes a mat, for people and for programs."""

import json
from argparse import Namespace

from polarity_host.cli.options import Subcommands, add_command, add_json, add_lang
from polarity_host.errors import BAD_INPUT, DONE, HostError
from polarity_host.words import Words


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "mat", run, "describe the mat: geometry, sensors, discs",
        "polarity mat --mat small --json",
    )  # fmt: skip
    parser.add_argument("--mat", metavar="NAME", help="which mat (default: the one of mat.toml)")
    add_json(parser, "print all of it, with every sensor, as one JSON object")
    add_lang(parser)


def run(args: Namespace) -> int:
    """Prints the mat. HostError BAD_INPUT when there is no such mat."""
    from polarity_host.mats.description import MatError, load_mat

    try:
        mat = load_mat(args.mat)
    except MatError as error:
        raise HostError(BAD_INPUT, error) from error
    if args.json:
        print(json.dumps(mat.to_json(), indent=1))
        return DONE
    disc, red = mat.disc, mat.red_disc
    said = Words(args.lang).said
    across = {"circle": 2 * mat.circle_radius_mm, "dot": 2 * mat.dot_radius_mm}
    wired = {"sensors": mat.n, "inputs": len(mat.adc_pins), "pitch": mat.pitch_mm}
    lines = (
        (said("circle"), said("{circle:g} mm across, dot {dot:g} mm", **across)),
        (said("sensors"), said("{sensors} on {inputs} ADC inputs, {pitch:g} mm apart", **wired)),
        (said("frames"), said("{rate} a second, {bits} bits", rate=mat.frame_hz, bits=mat.bits)),
        (said("disc"), f"{disc.diameter_mm:g} x {disc.thickness_mm:g} mm, {disc.br_t:g} T"),
        (said("red disc"), f"{red.diameter_mm:g} x {red.thickness_mm:g} mm, {red.br_t:g} T"),
        (said("rules"), mat.edition),
    )
    print(f"{mat.id}: {said(mat.title)}")
    for name, text in lines:
        print(f"{name:<12} {text}")
    return DONE
