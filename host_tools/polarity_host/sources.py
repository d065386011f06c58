"""What the host needs of the project's other folders: the engine's sources, the mats' description.

In a checkout they stand where they are written: firmware/ and hardware/mat.toml. A wheel carries
them as data of this package (setup.py). They are not installed as packages of their own, because
another project owns the name `polarity` on PyPI, and names as short as `drivers` and `loop` would
collide with anybody's. So the engine is imported from that folder, whatever else is installed.
"""

import sys
from importlib.machinery import PathFinder
from importlib.resources import files
from importlib.util import module_from_spec
from pathlib import Path

_PACKAGE = Path(str(files("polarity_host")))
#: Whether this is an installed wheel, and no checkout.
INSTALLED = (_PACKAGE / "firmware").is_dir()
#: What FIRMWARE and the mats' folder stand in: a checkout's, else this package's.
ROOT = _PACKAGE if INSTALLED else _PACKAGE.parents[1]

#: The sources for the chip. The engine among them, `polarity`, runs on this computer too.
FIRMWARE = ROOT / "firmware"
#: The one description of the mats.
MAT_TOML = ROOT / "hardware" / "mat.toml"
#: The files for a Pico, compiled when the wheel was built; there is none in a checkout.
COMPILED = _PACKAGE / "compiled_firmware.zip"
#: Their signature, where whoever built the wheel signed them.
SIGNATURE = COMPILED.with_suffix(".sig")


def provide_engine() -> None:
    """Makes `import polarity` find the engine in FIRMWARE. ImportError when another package of that
    name has been imported already."""
    ours = FIRMWARE / "polarity"
    present = sys.modules.get("polarity")
    if present is not None:
        if ours.resolve() not in (Path(place).resolve() for place in present.__path__):
            raise ImportError(
                f"another package named polarity is loaded, from {present.__file__}: "
                "import polarity_host before it"
            )
        return
    spec = PathFinder.find_spec("polarity", [str(FIRMWARE)])
    if spec is None or spec.loader is None:
        raise ImportError(f"the engine's sources are not in {FIRMWARE}: install polarity-mat again")
    module = module_from_spec(spec)
    sys.modules["polarity"] = module
    spec.loader.exec_module(module)
