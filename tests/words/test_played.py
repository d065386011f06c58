"""What players are told in positions that are played: sentences written by hand from the books.

A case is written as in tests/rules/scenarios/README.md. The pieces' numbers: w1 to w5 are 1 to 5,
b1 to b5 are 6 to 10, others follow from 21 on.
"""

import pytest

from polarity.rules.declarations import GRAMMAR
from polarity.wire.messages import FIELDS, ruling_values
from polarity_bench.scenario_table import Table
from polarity_host.wire.messages import body_of
from polarity_host.words import Words

FOUNDATIONS = ["foundations"]


def message(ruling):
    names = [name.rstrip("?") for name in FIELDS["ruling"]]
    values = dict(zip(names, ruling_values(ruling)))
    return body_of({"k": "ruling", **{n: v for n, v in values.items() if v is not None}})


def told(given, lines, edition="temple", language="en"):
    """The sentences of the rulings that the last of these lines leads to."""
    table = Table(edition, given)
    rulings = []
    for line in lines:
        declared = line.split()[0] in GRAMMAR
        rulings = table.declare(line) if declared else table.happen(line)
    return [Words(language).ruling(message(ruling), edition) for ruling in rulings]


# ---------------------------------------------------------------- what goes back is not tried again

LEANS_ON_BLACK = ["white brings A", "A leans b3"]
AFTER_A_FAULT = ["white brings A", "b1 b2 kiss", "meanwhile A leans b3"]


@pytest.mark.parametrize(
    "language, on_trial, after_a_fault",
    [
        (
            "en",
            "Not allowed: White leaned a disc over disc 8 of the other colour. "
            "Pick it up and try again.",
            "Not allowed: White leaned a disc over disc 8 of the other colour. "
            "1 disc goes to White's reserve.",
        ),
        (
            "de",
            "Nicht erlaubt: Weiß hat eine Scheibe über Scheibe 8 der anderen Farbe gesetzt. "
            "Bitte aufnehmen und neu versuchen.",
            "Nicht erlaubt: Weiß hat eine Scheibe über Scheibe 8 der anderen Farbe gesetzt. "
            "1 Scheibe kommt in die Reserve von Weiß.",
        ),
        (
            "fr",
            "Non autorisé : Blanc a posé un disque en équilibre contre le disque 8, de l'autre "
            "couleur. À reprendre, pour recommencer.",
            "Non autorisé : Blanc a posé un disque en équilibre contre le disque 8, de l'autre "
            "couleur. 1 disque retourne dans la réserve de Blanc.",
        ),
        (
            "nl",
            "Niet toegestaan: Wit zette een schijf in evenwicht tegen schijf 8 van de andere "
            "kleur. Neem die terug en probeer het opnieuw.",
            "Niet toegestaan: Wit zette een schijf in evenwicht tegen schijf 8 van de andere "
            "kleur. 1 schijf gaat naar de voorraad van Wit.",
        ),
    ],
)
def test_a_disc_that_goes_back_is_not_to_be_tried_again(language, on_trial, after_a_fault):
    assert told(FOUNDATIONS, LEANS_ON_BLACK, language=language) == [on_trial]
    assert told(FOUNDATIONS, AFTER_A_FAULT, language=language) == [after_a_fault]


def test_the_action_disc_on_trial_is_tried_again():
    assert told(FOUNDATIONS, ["white brings A", "A laid"]) == [
        "White may try again: the action disc does not stand yet, and nothing else moved."
    ]
    # the next hand comes in: then it is not on trial any more
    assert told(FOUNDATIONS, ["white brings A", "A laid", "black brings B"])[0] == (
        "Not allowed: White left the action disc lying flat, but it is no foundation. "
        "1 disc goes to White's reserve."
    )


def test_a_disc_let_go_at_the_fault_does_not_stay():
    flat = ["white brings A", "b1 b2 kiss", "meanwhile A laid"]
    assert told(FOUNDATIONS, flat) == [
        "Not allowed: disc 21 lies flat after the fault, so it does not stay. "
        "1 disc goes to White's reserve."
    ]


# ---------------------------------------------------------------- captures

GATHERED = ["white brings A", "w1 b1 kiss", "A out", "b1 lifted", "b1 snaps w1"]


@pytest.mark.parametrize(
    "language, wrong_side_up, leaning",
    [
        (
            "en",
            "Not allowed: what Black captures must show Black's colour. Flip it over.",
            "Not allowed: what Black captures must lie flat. Lay it down again.",
        ),
        (
            "de",
            "Nicht erlaubt: Was Schwarz erobert, muss die Farbe von Schwarz zeigen. "
            "Bitte umdrehen.",
            "Nicht erlaubt: Was Schwarz erobert, muss flach liegen. Bitte noch einmal absetzen.",
        ),
        (
            "fr",
            "Non autorisé : ce que Noir convertit doit montrer la couleur de Noir. À retourner.",
            "Non autorisé : ce que Noir convertit doit être à plat. À poser de nouveau.",
        ),
        (
            "nl",
            "Niet toegestaan: wat Zwart omkeert, moet de kleur van Zwart tonen. Omdraaien.",
            "Niet toegestaan: wat Zwart omkeert, moet plat liggen. Zet het opnieuw neer.",
        ),
    ],
)
def test_a_tower_set_down_wrongly_is_not_captured_yet(language, wrong_side_up, leaning):
    assert told(FOUNDATIONS, [*GATHERED, "b1 laid white"], language=language) == [wrong_side_up]
    assert told(FOUNDATIONS, [*GATHERED, "b1 leans b2"], language=language) == [leaning]


def test_a_disc_of_the_wrong_colour_is_named():
    assert told(FOUNDATIONS, ["white brings A", "A leans w1 showing black"]) == [
        "Not allowed: disc 21 must show White's colour. Flip it over."
    ]


@pytest.mark.parametrize(
    "language, fault, turn",
    [
        (
            "en",
            "White's fault: discs 2 and 7 touch. To capture, by Black: discs 1 and 6; tower 2.",
            "Black's turn. Reserves: white 21, black 21. "
            "To capture first: discs 1 and 6; disc or tower 2.",
        ),
        (
            "de",
            "Fehler von Weiß: Die Scheiben 2 und 7 berühren sich. "
            "Von Schwarz zu erobern: die Scheiben 1 und 6; Turm 2.",
            "Schwarz ist am Zug. Reserven: Weiß 21, Schwarz 21. "
            "Zuerst zu erobern: die Scheiben 1 und 6; Scheibe oder Turm 2.",
        ),
        (
            "fr",
            "Faute de Blanc : les disques 2 et 7 se touchent. "
            "À convertir par Noir : les disques 1 et 6 ; la pile 2.",
            "Au tour de Noir. Réserves : blanc 21, noir 21. "
            "À convertir d'abord : les disques 1 et 6 ; le disque ou la pile 2.",
        ),
        (
            "nl",
            "Fout van Wit: de schijven 2 en 7 raken elkaar. "
            "Door Zwart om te keren: de schijven 1 en 6; stapel 2.",
            "Zwart is aan de beurt. Voorraden: wit 21, zwart 21. "
            "Eerst om te keren: de schijven 1 en 6; schijf of stapel 2.",
        ),
    ],
)
def test_each_group_is_named_once_and_a_stack_is_no_disc(language, fault, turn):
    lines = ["white brings A", "w1 b1 kiss", "w2 b2 stack as w2 white"]
    assert told(FOUNDATIONS, lines, language=language) == [fault]
    assert told(FOUNDATIONS, [*lines, "A out", "w1 lifted"], language=language) == [turn]


@pytest.mark.parametrize(
    "language, failed",
    [
        ("en", "Black's capture of discs 1 and 6 failed. 2 discs go to Black's reserve."),
        (
            "de",
            "Schwarz ist die Eroberung misslungen: die Scheiben 1 und 6. "
            "2 Scheiben kommen in die Reserve von Schwarz.",
        ),
        (
            "fr",
            "Noir manque la conversion : les disques 1 et 6. "
            "2 disques retournent dans la réserve de Noir.",
        ),
        (
            "nl",
            "De omkering door Zwart is mislukt: de schijven 1 en 6. "
            "2 schijven gaan naar de voorraad van Zwart.",
        ),
    ],
)
def test_a_failed_capture(language, failed):
    given = [*FOUNDATIONS, "white leaner L"]
    assert told(given, [*GATHERED, "L falls"], language=language)[1] == failed


def test_a_tower_that_fails_as_it_is_set_down_is_a_tower():
    lines = [*GATHERED, "b1 laid black", "b1 b2 kiss"]
    assert told(FOUNDATIONS, lines, "fourlang")[1] == (
        "Black's capture of tower 6 failed. 2 discs go to Black's reserve."
    )


def test_a_capture_is_told_as_one_only_when_it_is():
    given = [*FOUNDATIONS, "white leaner L", "white has played"]
    lines = ["black brings B", "L flips black"]
    assert told(given, lines)[0].startswith(
        "Black's fault: disc 21 flipped and shows the other colour. To capture, by White: disc 21."
    )
    lines += ["B out", "L lifted", "L laid white"]
    assert told(given, lines) == ["White captures disc 21, which had flipped."]


# ---------------------------------------------------------------- faults, in the books' languages


@pytest.mark.parametrize(
    "language, shifted, fell",
    [
        (
            "en",
            "White's fault: disc 6 moved by more than its diameter. "
            "1 disc goes to White's reserve.",
            "White's fault: leaner 21 fell flat. 1 disc goes to White's reserve.",
        ),
        (
            "de",
            "Fehler von Weiß: Scheibe 6 ist um mehr als den eigenen Durchmesser gerutscht. "
            "1 Scheibe kommt in die Reserve von Weiß.",
            "Fehler von Weiß: Flieger 21 ist flach gefallen. "
            "1 Scheibe kommt in die Reserve von Weiß.",
        ),
        (
            "fr",
            "Faute de Blanc : le disque 6 s'est déplacé de plus de son diamètre. "
            "1 disque retourne dans la réserve de Blanc.",
            "Faute de Blanc : le disque en équilibre 21 est tombé à plat. "
            "1 disque retourne dans la réserve de Blanc.",
        ),
        (
            "nl",
            "Fout van Wit: schijf 6 is meer dan de eigen diameter verschoven. "
            "1 schijf gaat naar de voorraad van Wit.",
            "Fout van Wit: schijf 21 is omgevallen. 1 schijf gaat naar de voorraad van Wit.",
        ),
    ],
)
def test_faults_as_the_books_describe_them(language, shifted, fell):
    assert told(FOUNDATIONS, ["white brings A", "b1 shifts 40"], language=language) == [shifted]
    given = [*FOUNDATIONS, "white leaner L"]
    assert told(given, ["white brings A", "L falls"], language=language) == [fell]


def test_what_is_reported_late_is_judged_again():
    given = [*FOUNDATIONS, "white leaner L"]
    lines = ["white brings A", "A leans w1", "black brings B", "300 ms before, L falls"]
    assert told(given, lines) == [
        "No. 4 is reported late. What came after it is judged again.",
        "White's fault: leaner 21 fell flat.",
        "Black's turn. Reserves: white 19, black 21.",
    ]


# ---------------------------------------------------------------- more than two players

SHUFFLE = "temple+three_player_shuffle"


@pytest.mark.parametrize(
    "language, turn",
    [
        ("en", "Player 2's (white) turn. Reserves: 14, 14 and 14 (players 1 to 3)."),
        ("de", "Spieler 2 (Weiß) ist am Zug. Reserven: 14, 14 und 14 (Spieler 1 bis 3)."),
        ("fr", "Au tour du joueur 2 (blanc). Réserves : 14, 14 et 14 (joueurs 1 à 3)."),
        (
            "nl",
            "Speler 2 (wit) is aan de beurt. Voorraden: 14, 14 en 14 (spelers 1 tot en met 3).",
        ),
    ],
)
def test_a_turn_names_the_player_and_his_colour(language, turn):
    assert told(FOUNDATIONS, ["white brings A"], SHUFFLE, language) == [turn]


def test_a_french_sentence_begins_with_a_capital_whoever_begins_it():
    assert told(FOUNDATIONS, ["white brings A", "A leans w1"], SHUFFLE, "fr") == [
        "Le joueur 2 (blanc) pose le disque 21 en équilibre."
    ]


@pytest.mark.parametrize(
    "language, end",
    [
        ("en", "A disc touched the red disc. One player has lost, the other two have not."),
        (
            "de",
            "Eine Scheibe hat die rote Scheibe berührt. "
            "Ein Spieler hat verloren, die beiden anderen nicht.",
        ),
        ("fr", "Un disque a touché le disque rouge. Un joueur a perdu, les deux autres non."),
        (
            "nl",
            "Een schijf heeft de rode schijf geraakt. "
            "Eén speler heeft verloren, de andere twee niet.",
        ),
    ],
)
def test_of_three_one_loses_and_it_is_no_draw(language, end):
    assert told(FOUNDATIONS, ["white brings A", "b1 touches red"], SHUFFLE, language) == [end]


def test_the_discs_go_to_the_player_who_has_a_reserve_of_his_own():
    lines = ["white brings A", "A snaps w2"]
    four = "temple+four_player_advanced"
    assert told(FOUNDATIONS, lines, four)[0].endswith("2 discs go to Player 3's (white) reserve.")
    team = "temple+four_player_team"
    assert told(FOUNDATIONS, lines, team)[0].endswith("2 discs go to White's reserve.")


# ---------------------------------------------------------------- the score, where it decides

ONE_LEFT = ["white tower T 4", "black disc B", "reserve 10 12"]
LAST_BLACK_GOES = ["white brings A", "A snaps B"]
LAST_OF_THREE = ["white tower T 9", "black tower U 2", "reserve 4 3 1"]
PLAYED_OUT = ["white brings A", "A leans w1", "black brings B", "B leans b1"]


@pytest.mark.parametrize(
    "given, lines, edition, end",
    [
        # 003 End of Game 2 to 4: the game ends, and the discs in towers less the supply decide
        (
            ONE_LEFT,
            LAST_BLACK_GOES,
            "scaled",
            "A player has no disc left that shows his colour. "
            "White wins, −7 to −12 (white to black).",
        ),
        # 001 End of the Game, last line: such a player loses, whatever the score
        (
            ONE_LEFT,
            LAST_BLACK_GOES,
            "temple",
            "A player has no disc left that shows his colour. White wins.",
        ),
        # 004 Three-player Shuffle: the first to play all of his discs, or the count decides
        (
            [*FOUNDATIONS, *LAST_OF_THREE],
            PLAYED_OUT,
            SHUFFLE,
            "A reserve is empty. Player 3 (black) wins.",
        ),
        (
            [*FOUNDATIONS, *LAST_OF_THREE],
            PLAYED_OUT,
            SHUFFLE + "+shuffle_scored",
            "A reserve is empty. Player 2 (white) wins; the points of players 1 to 3: −4, 7 and 2.",
        ),
        # 000 End of the game 3: the owner of the one colour wins, without a count
        (
            ["white disc W", "black disc B"],
            LAST_BLACK_GOES,
            "fourlang",
            "Everything on the mat shows one colour. White wins.",
        ),
        # 002: he scores the sum of the mat and of the opponent's reserve
        (
            ONE_LEFT,
            LAST_BLACK_GOES,
            "original",
            "Everything on the mat shows one colour. White wins, 16 to 0 (white to black).",
        ),
    ],
)
def test_the_score_is_told_where_it_decides(given, lines, edition, end):
    assert told(given, lines, edition)[-1] == end


def test_without_the_edition_the_score_is_told_where_it_may_have_decided():
    def end(player, score):
        ruling = {
            "k": "ruling", "code": "end", "player": player, "why": "no_colour", "pieces": [],
            "facts": [9], "owed": [], "returns": [], "reserve": [1, 2], "turn": 3, "active": "w",
            "score": score,
        }  # fmt: skip
        return Words().result(body_of(ruling))

    assert end("b", [2, 3]) == "Black wins, 2 to 3 (white to black)"
    assert end("w", [2, 3]) == "White wins"
