"""The points of the editions' table that a ruling rests on, and their text in the books."""

import re

from polarity.rules.citations import CITATIONS, OPTION_CITATIONS
from polarity.rules.editions import EDITIONS, rules_of
from polarity_host.wire.messages import RulingMessage
from polarity_host.words.catalogue import Catalogue

#: By code and why; by code alone where the reason makes no difference.
RESTS_ON = {
    ("fault", "contact"): ("fault_contact",),
    ("fault", "leaner_fell"): ("fault_fell",),
    ("fault", "flipped"): ("fault_fell",),
    ("fault", "snapped"): ("fault_snapped",),
    ("fault", "shifted"): ("fault_shift",),
    ("fault", "out"): ("out",),
    ("fault", "stayed_behind"): ("fault_stays_behind",),
    ("fault", "not_set_down"): ("capture_first",),
    "capture_failed": ("capture_fault_returns",),
    ("captured", "lifted"): ("capture_first",),
    ("captured", "in_place"): ("in_place",),
    ("captured", "flip"): ("flip_capture",),
    ("end", "touched_red"): ("loss_touch_red",),
    ("end", "red_off"): ("loss_red_off",),
    ("end", "no_colour"): ("no_colour",),
    ("end", "reserve_empty"): ("last_disc", "score"),
    ("end", "one_colour"): ("one_colour", "one_colour_score"),
    ("end", "passed"): ("doubling_cube",),
    ("irregular", "foundation_touches"): ("foundation_may_touch",),
    ("irregular", "touched_red"): ("foundation_may_touch",),
    ("irregular", "foundation_spare"): ("foundations",),
    ("irregular", "red_missing"): ("red",),
    ("irregular", "red_off"): ("red",),
    ("irregular", "out_of_turn"): ("turn_until",),
    ("irregular", "wrong_colour"): ("own_colour_up",),
    ("irregular", "flat_kept"): ("try_again",),
    ("irregular", "leaner_kept"): ("own_discs_only",),
    ("irregular", "not_ones_own"): ("move_own_only",),
    ("irregular", "whole_tower"): ("lift_whole_tower",),
    ("irregular", "played_after_fault"): ("action_disc_back",),
    ("irregular", "flat_after_fault"): ("action_disc_back",),
    ("irregular", "leans_on_opponent"): ("own_discs_only",),
    ("irregular", "leans_on_red"): ("lean_on_red",),
    ("irregular", "capture_owed"): ("capture_first",),
    ("irregular", "cube_open"): ("doubling_cube",),
}


def points_of(ruling: RulingMessage) -> tuple[str, ...]:
    """The points that a ruling rests on, the deciding one first; none for most rulings without a
    fault."""
    code, why = ruling.code, ruling.why
    points: tuple[str, ...] = RESTS_ON.get((code, why), ()) + RESTS_ON.get(code, ())
    if (code, why) == ("fault", "flipped"):
        owed = [piece for _, group in ruling.owed for piece in group]
        theirs = any(piece in owed for piece in ruling.pieces)
        points += ("flip_capture" if theirs else "own_flip_stays",)
    if code == "fault" and ruling.player and ruling.player != ruling.active:
        points += ("off_turn",)
    return points


def known_rules(edition: str) -> dict[str, object]:
    """The rules of an edition and its options: a value for each point. ValueError when there is no
    such edition or option.
    """
    rules = rules_of(edition)
    if rules is None:
        raise ValueError(f"no edition {edition!r}")
    return dict(rules)


def value_words(catalogue: Catalogue, point: str, value: object) -> str:
    """A value of the editions' table; False and "" both read as no."""
    name = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value) or "no"
    for key in (f"values.{point}_{name}", f"values.{name}"):
        if catalogue.has(key):
            return catalogue.say(key)
    return name


def citation(point: str, edition: str) -> str:
    """Book and paragraph of a point; `edition` is an edition and its options, joined by `+`.
    ValueError when there is no such edition or option.
    """
    name, *options = edition.split("+")
    plain = known_rules(name)
    for option in reversed(options):
        if known_rules(f"{name}+{option}")[point] != plain[point]:
            return OPTION_CITATIONS[option]
    return CITATIONS[point][EDITIONS.index(name)]


def rule_words(catalogue: Catalogue, point: str, edition: str) -> str:
    """A point in words, with its value in the edition and its citation; "" when there is no such
    edition.
    """
    if rules_of(edition) is None:
        return ""
    rules = known_rules(edition)
    return catalogue.say(
        "explain.point" if rules[point] is True else "explain.point_value",
        point=catalogue.say(f"points.{point}"),
        value=value_words(catalogue, point, rules[point]),
        edition=catalogue.edition(edition),
        name=point,
        source=source_words(catalogue, citation(point, edition)),
    )


def source_words(catalogue: Catalogue, cited: str) -> str:
    """A citation with the books by name instead of by number."""
    if cited.startswith("silent"):
        return catalogue.say("explain.silent")
    return re.sub(
        r"\b00\d\b", lambda book: catalogue.say(f"books.{book.group()}") + ",", cited
    ).replace(",,", ",")
