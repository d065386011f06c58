"""`polarity mat`: describes a mat, for people and for programs."""

import json
from argparse import Namespace

from polarity_host.cli.options import Subcommands, add_command, add_json
from polarity_host.errors import BAD_INPUT, DONE, HostError


def add_to(commands: Subcommands) -> None:
    """Adds the subcommand."""
    parser = add_command(
        commands, "mat", run, "describe the mat: geometry, sensors, discs",
        "polarity mat --mat small --json",
    )  # fmt: skip
    parser.add_argument("--mat", metavar="NAME", help="which mat (default: the one of mat.toml)")
    add_json(parser, "print all of it, with every sensor, as one JSON object")


def run(args: Namespace) -> int:
    """Prints the mat. HostError BAD_INPUT when there is no such mat."""
    from polarity_host.mats.description import MatError, load_mat

    try:
        mat = load_mat(args.mat)
    except MatError as error:
        raise HostError(BAD_INPUT, str(error)) from error
    if args.json:
        print(json.dumps(mat.to_json(), indent=1))
        return DONE
    disc, red = mat.disc, mat.red_disc
    print(f"{mat.id}: {mat.title}")
    print(f"circle       {2 * mat.circle_radius_mm:g} mm across, dot {2 * mat.dot_radius_mm:g} mm")
    print(f"sensors      {mat.n} on {len(mat.adc_pins)} ADC inputs, {mat.pitch_mm:g} mm apart")
    print(f"frames       {mat.frame_hz} a second, {mat.bits} bits")
    print(f"disc         {disc.diameter_mm:g} x {disc.thickness_mm:g} mm, {disc.br_t:g} T")
    print(f"red disc     {red.diameter_mm:g} x {red.thickness_mm:g} mm, {red.br_t:g} T")
    print(f"rules        {mat.edition}")
    return DONE
