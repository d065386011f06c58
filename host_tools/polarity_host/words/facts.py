"""A `fact` message as a short phrase. An unknown kind is shown as it is."""

from polarity_host.words.catalogue import Catalogue
from polarity_host.words.rulings import plainly, reason_words


def fact_words(catalogue: Catalogue, fields: dict) -> str:
    """What happened, without a full stop."""
    kind, others = fields["f"], fields["others"]
    if not catalogue.has(f"fact.{kind}"):
        return plainly(kind)
    concerned = catalogue.pieces(others or [fields["piece"]])
    values = {
        "piece": piece_words(catalogue, fields),
        "number": fields["piece"],
        "others": catalogue.pieces(others),
        "face": catalogue.face(fields["face"]),
        "discs": fields["discs"],
        "degrees": fields["tilt"],
        "mm": catalogue.millimetres(fields["d"]),
    }
    if kind == "unsure":
        about = {**values, "pieces": concerned}
        why, count = fields["why"], max(1, len(others))
        values["reason"] = reason_words(catalogue, "questions", why, count, about)
    manner = fields["shape"]
    if manner == "leaner" and not others:
        manner = "leaner_alone"
    return catalogue.say(f"fact.{kind}", manner, max(1, len(others)), **values)


def piece_words(catalogue: Catalogue, fields: dict) -> str:
    """The piece that a fact is about."""
    sort = "tower" if fields["discs"] > 1 else "disc"
    if fields["shape"] == "red":
        sort = "red"
    return catalogue.say(f"piece.{sort}", number=fields["piece"], discs=fields["discs"])
