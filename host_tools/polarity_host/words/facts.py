"""A `fact` message as a short phrase. An unknown kind is shown as it is."""

from polarity_host.wire.messages import FactMessage
from polarity_host.words.catalogue import Catalogue
from polarity_host.words.rulings import plainly, reason_words


def fact_words(catalogue: Catalogue, fact: FactMessage) -> str:
    """What happened, without a full stop."""
    kind, others = fact.kind, fact.others
    if not catalogue.has(f"fact.{kind}"):
        return plainly(kind)
    concerned = catalogue.pieces(others or (fact.piece,))
    values = {
        "piece": piece_words(catalogue, fact),
        "number": fact.piece,
        "others": catalogue.pieces(others),
        "face": catalogue.face(fact.face),
        "discs": fact.discs,
        "degrees": fact.tilt,
        "mm": catalogue.millimetres(fact.d),
    }
    if kind == "unsure":
        about = {**values, "pieces": concerned}
        why, count = fact.why, max(1, len(others))
        values["reason"] = reason_words(catalogue, "questions", why, count, about)
    manner = fact.shape
    if manner == "leaner" and fact.discs > 1:
        manner = "on_edge"
    elif manner == "leaner" and not others:
        manner = "leaner_alone"
    return catalogue.say(f"fact.{kind}", manner, max(1, len(others)), **values)


def piece_words(catalogue: Catalogue, fact: FactMessage) -> str:
    """The piece that a fact is about, as a noun with its number."""
    sort = "tower" if fact.discs > 1 else "disc"
    if fact.shape == "red":
        sort = "red"
    return catalogue.say(f"piece.{sort}", number=fact.piece, discs=fact.discs)
