"""What the mat says, in words a player understands: one sentence or two for each event."""

PLAYERS = {"w": "White", "b": "Black", "": "Nobody"}
FACES = {"w": "white", "b": "black", "": "unknown colour"}
OTHER = {"w": "b", "b": "w", "": ""}

FAULTS = {
    "contact": "{whose} fault: discs touch.",
    "leaner_fell": "{whose} fault: a leaner fell flat.",
    "flipped": "{whose} fault: a leaner fell and shows the other colour.",
    "snapped": "{whose} fault: a disc jumped to the one in the hand.",
    "shifted": "{whose} fault: a disc moved by more than its own width.",
    "out": "{whose} fault: a disc left the circle.",
    "stayed_behind": "{whose} fault: part of the group stayed behind.",
    "not_set_down": "{whose} fault: the captured discs were not set down in the circle.",
}

CAPTURES = {
    "lifted": "{who} captures the group: it is a tower now.",
    "in_place": "{who} captures in place: the tower stays where it stands.",
    "flip": "{who} captures the leaner that flipped.",
}

ENDS = {
    "touched_red": "A disc touched the red disc.",
    "red_off": "The red disc is off its dot.",
    "no_colour": "{loser} has no disc left that shows the right colour.",
    "reserve_empty": "A reserve is empty.",
    "one_colour": "Everything on the mat shows one colour.",
}

#: Ends at which the score says who has won; at the others it is over at once, whatever the score.
DECIDED_BY_SCORE = ("reserve_empty", "one_colour")

IRREGULAR = {
    "foundation_touches": "a foundation touches another disc: set it apart.",
    "foundation_leans": "a foundation leans: lay it flat.",
    "foundation_spare": "{who} has laid all foundations already: take this one back.",
    "red_missing": "the red disc is not on its dot yet: place it first.",
    "red_again": "there is a second red disc: take it away.",
    "out_of_turn": "it was not {whose} turn.",
    "wrong_colour": "{who} brought in a disc that shows the other colour.",
    "several_discs": "{who} brought in several discs at once: one a turn.",
    "flat_kept": "{who} left the action disc lying flat: pick it up and try again.",
    "flat_after_fault": "a disc was left lying flat after the fault.",
    "played_after_fault": "{who} played on after the fault: the turn was over.",
    "leans_on_opponent": "{whose} disc leans over one of the other colour.",
    "leans_on_red": "{whose} disc leans over the red disc.",
    "capture_owed": "{who} must capture first what is in contact.",
    "two_hands": "two pieces of one group were gripped separately.",
    "not_flat": "a captured disc must be laid flat.",
    "lifted": "{who} picked up a disc that may not be moved.",
    "reserve_short": "more discs came in than {whose} reserve holds.",
    "touched_red": "a foundation touches the red disc: set it apart.",
    "red_off": "the red disc is off its dot: place it again.",
    "out": "a foundation left the circle: place it again.",
}

UNSURE = {
    "contact": "did the discs touch?",
    "face": "which colour shows?",
    "colour": "which colour is it?",
    "height": "how many discs is this tower?",
    "lost": "a disc is lost from sight.",
    "unknown_piece": "something moved that was not seen arriving.",
    "count": "the count of discs does not come out.",
    "jolt": "the mat was shaken: check that all is as it was.",
    "touched_red": "did a disc touch the red disc?",
    "red_off": "is the red disc off its dot?",
}

NOTES = {
    "taken_back": "(taken back)",
    "with_fault": "(with a fault)",
}


def ruling_words(fields: dict) -> str:
    """A `ruling` message's fields as a sentence. An unknown code or reason is shown as it is."""
    code, why = fields["code"], fields["why"]
    names = _names(fields["player"])
    if code == "fault":
        return " ".join(
            [_from(FAULTS, why, "{whose} fault: {why}.", names), *_consequences(fields)]
        )
    if code == "captured":
        return _from(CAPTURES, why, "{who} captures ({why}).", names)
    if code == "capture_failed":
        reason = _from(FAULTS, why, "{whose} fault: {why}.", names)
        return " ".join([f"The capture failed. {reason}", *_consequences(fields)])
    if code == "irregular":
        return "Not allowed: " + _from(IRREGULAR, why, "{why}.", names)
    if code == "unsure":
        return "Unsure: " + _from(UNSURE, why, "{why}.", names)
    if code == "end":
        return _end(fields, names)
    return _PLAIN.get(code, _other)(fields, names)


def fact_words(fields: dict) -> str:
    """A `fact` message's fields as a short phrase. An unknown kind is shown as it is."""
    face = FACES.get(fields["face"], "")
    what = _piece(fields)
    number = fields["piece"]
    others = ", ".join(str(other) for other in fields["others"])
    d_mm = fields["d"] / 100
    phrases = {
        "hand_in": f"a hand brings in {what}, {face} up",
        "hand_out": f"a hand takes {what} out of the circle",
        "placed": _placed(fields, face),
        "lifted": f"{_nth(fields)} is picked up",
        "snapped": f"{_plural(others)} jumped to the hand, which now holds {fields['discs']}",
        "fell": f"leaner {number} fell flat",
        "flipped": f"disc {number} turned over and shows {face}",
        "shifted": f"{_nth(fields)} moved by {d_mm:.1f} mm",
        "rolled": f"leaner {number} rolled by {d_mm:.1f} mm",
        "contact": _contact(fields, others),
        "parted": f"{_plural(others)} no longer touch",
        "left_circle": f"{_nth(fields)} left the circle",
        "touched_red": f"{_nth(fields)} touches the red disc",
        "red_off": "the red disc is off its dot",
        "jolt": "the mat was shaken",
        "unsure": "unsure: " + _from(UNSURE, fields["why"], "{why}", {"why": fields["why"]}),
    }
    return phrases.get(fields["f"], fields["f"])


def game_result(end: dict) -> str:
    """Who won, from an `end` ruling's fields, with the score where that decided it."""
    outcome = f"{PLAYERS.get(end['player'], end['player'])} wins" if end["player"] else "A draw"
    score = end.get("score")
    if score and end["why"] in DECIDED_BY_SCORE:
        return f"{outcome}, {score[0]} to {score[1]} (white to black)"
    return outcome


def clock(t_ms: int) -> str:
    """A time as minutes and seconds, mm:ss."""
    seconds = max(0, t_ms) // 1000
    return f"{seconds // 60:02d}:{seconds % 60:02d}"


def _names(player: str) -> dict:
    who, other = PLAYERS.get(player, player), OTHER.get(player, "")
    return {
        "who": who,
        "whose": who + "'s" if player else "Nobody's",
        "other": PLAYERS[other],
        "loser": PLAYERS[other],
        "why": "",
    }


def _from(catalogue: dict, key: str, otherwise: str, names: dict) -> str:
    return catalogue.get(key, otherwise).format(**{**names, "why": key.replace("_", " ")})


def _consequences(fields: dict) -> list[str]:
    """What is owed and what goes back, as sentences."""
    said = []
    groups = fields["owed"]
    for player, pieces in groups:
        what = "them" if len(groups) == 1 else f"a group of {len(pieces)}"
        said.append(f"{PLAYERS.get(player, player)} captures {what}.")
    for player, discs in fields["returns"]:
        noun = "disc goes" if discs == 1 else "discs go"
        reserve = f"{PLAYERS.get(player, player)}'s reserve"
        said.append(f"{discs} {noun} to {reserve}.")
    return said


def _end(fields: dict, names: dict) -> str:
    reason = _from(ENDS, fields["why"], "The game is over: {why}.", names)
    return f"{reason} {game_result(fields)}."


def _turn(fields: dict, names: dict) -> str:
    white, black = fields["reserve"]
    owed = [pieces for player, pieces in fields["owed"] if player == fields["player"]]
    first = f" {names['who']} must capture first." if owed else ""
    return f"{names['whose']} turn. Reserves: white {white}, black {black}.{first}"


def _other(fields: dict, names: dict) -> str:
    why = f": {fields['why'].replace('_', ' ')}" if fields["why"] else ""
    return f"{names['who']}: {fields['code'].replace('_', ' ')}{why}."


def _noted(text: str):
    def words(fields: dict, names: dict) -> str:
        note = NOTES.get(fields["why"], "")
        return f"{text.format(**names)} {note}".strip()

    return words


_PLAIN = {
    "red_placed": _noted("The red disc is on its dot."),
    "foundation": _noted("{who} lays a foundation."),
    "setup_done": _noted("All foundations are laid: play begins."),
    "turn": _turn,
    "try_again": _noted("{who} may try again: the disc fell flat and nothing else moved."),
    "leaner_placed": _noted("{who} places a leaner."),
}


def _piece(fields: dict) -> str:
    discs = fields["discs"]
    return f"disc {fields['piece']}" if discs == 1 else f"tower {fields['piece']} ({discs} discs)"


def _nth(fields: dict) -> str:
    return "the red disc" if fields["shape"] == "red" else _piece(fields)


def _placed(fields: dict, face: str) -> str:
    number = fields["piece"]
    if fields["shape"] == "red":
        return "the red disc is set down"
    if fields["shape"] == "leaner":
        over = fields["others"]
        held_by = f" over {', '.join(map(str, over))}" if over else ""
        return f"disc {number} leans{held_by} at {fields['tilt']}°, {face} up"
    if fields["shape"] == "tower":
        return f"{_piece(fields)} is set down, {face} up"
    return f"disc {number} lies flat, {face} up"


def _contact(fields: dict, others: str) -> str:
    manner = {"stack": "are stacked", "kiss": "touch side by side"}.get(fields["shape"], "touch")
    return f"{_plural(others)} {manner}"


def _plural(others: str) -> str:
    return f"discs {others}" if "," in others else f"disc {others}"
