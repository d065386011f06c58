"""What the firmware knows of each mat: one generated module a mat, from hardware/mat.toml."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .mat import Mat


def load(name: str) -> "Mat":
    """The data module of the mat called `name` ("standard", "small"). ValueError for another."""
    if name == "standard":
        from . import standard as mat
    elif name == "small":
        from . import small as mat
    else:
        raise ValueError("no mat called " + name)
    return mat
