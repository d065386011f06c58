"""The ring says by shape and motion what it says by colour."""

from math import atan2, degrees

import pytest

from polarity.facts import BLACK, WHITE
from polarity.lights.azimuth import azimuth_deg
from polarity.lights.ring import FAULT_MS, Ring
from polarity.rules.editions import rules_of
from polarity.rules.position import OVER, PLAY, Position
from polarity.rules.ruling import Evidence, Ruling, Standing

COUNT = 60
SOUTH, NORTH = range(30, 60), range(0, 30)


def position(phase=PLAY, active=WHITE, owed=(), outcome=(), question=()):
    made = Position(rules_of("temple"))
    made.phase, made.active, made.outcome, made.question = phase, active, outcome, question
    made.owed = lambda: owed
    return made


def a_ruling(code, t_ms, player, why):
    return Ruling(code, t_ms, player, why, Evidence(), (), Standing())


def lit(picture):
    """The LEDs that shine, without their colours."""
    return tuple(at // 3 for at in range(0, len(picture), 3) if any(picture[at : at + 3]))


def film(ring, where, begin_ms=0, **how):
    """The lit LEDs over two seconds: all that a person who sees no colour sees."""
    return tuple(lit(ring.paint(begin_ms + t_ms, where, **how)) for t_ms in range(0, 2000, 50))


def test_whose_turn_is_seen_by_side_and_by_shape():
    ring = Ring(COUNT)
    assert lit(ring.paint(0, position(active=WHITE))) == tuple(SOUTH)
    assert lit(ring.paint(0, position(active=BLACK))) == tuple(NORTH)[::2]


def test_every_state_looks_different_without_colour():
    films = {}
    for player in (WHITE, BLACK):
        for why in ("contact", "snapped", "leaner_fell", "shifted", "flipped", "stayed_behind"):
            ring = Ring(COUNT)
            ring.show(a_ruling("fault", 0, player, why))
            films["fault", player, why] = film(ring, position())
        films["turn", player] = film(Ring(COUNT), position(active=player))
        films["owed", player] = film(Ring(COUNT), position(owed=((player, (3, 4)),)))
        films["won", player] = film(Ring(COUNT), position(OVER, outcome=("no_colour", player, ())))
    alarm = position(OVER, outcome=("touched_red", WHITE, ()))
    films["alarm"] = film(Ring(COUNT), alarm)
    films["draw"] = film(Ring(COUNT), position(OVER, outcome=("declared", 0, ())))
    films["setup"] = film(Ring(COUNT), position("foundations"))
    films["ill"] = film(Ring(COUNT), position(), ill=True)
    films["calibrating"] = film(Ring(COUNT), position(), calibrating=True)
    for asks in ("so", "whose"):
        films["question", asks] = film(Ring(COUNT), position(question=(17, asks)))
    assert len(set(films.values())) == len(films)


def test_a_mat_that_is_not_well_still_shows_the_game():
    """As with an ADC input that is off: play goes on where it can."""
    ill, well = Ring(COUNT), Ring(COUNT)
    for ring in (ill, well):
        ring.show(a_ruling("fault", 0, WHITE, "contact"))
    pictures = film(ill, position(), ill=True)
    cross, shown = pictures[:20], pictures[20:]
    assert set(cross) == {(0, 15, 30, 45)}
    assert shown == film(well, position())[20:]


def test_a_fault_gives_way_to_what_follows_from_it():
    ring = Ring(COUNT)
    ring.show(a_ruling("fault", 1000, WHITE, "contact"))
    owed = position(owed=((BLACK, (3, 4)),))
    assert film(ring, owed, 1000) != film(Ring(COUNT), owed, 1000)
    after_ms = 1000 + FAULT_MS
    assert film(ring, owed, after_ms) == film(Ring(COUNT), owed, after_ms)


def test_yes_is_by_the_first_button_and_white_on_whites_side():
    """Button one at azimuth 180, button two at 0; white at -90, black at 90."""
    so, whose = (position(question=(17, asks)) for asks in ("so", "whose"))
    first, second = (lit(Ring(COUNT).paint(t_ms, so)) for t_ms in (0, 600))
    assert (first, second) == (tuple(range(15, 45)), (*range(1, 15, 2), *range(45, 60, 2)))
    white, black = (lit(Ring(COUNT).paint(t_ms, whose)) for t_ms in (0, 600))
    assert (white, black) == (tuple(SOUTH), tuple(NORTH)[::2])


def test_a_question_waits_for_the_fault_to_be_seen():
    ring = Ring(COUNT)
    ring.show(a_ruling("fault", 1000, WHITE, "contact"))
    asked = position(question=(17, "so"))
    assert film(ring, asked, 1000) == film(ring, position(), 1000)
    after_ms = 1000 + FAULT_MS
    assert film(ring, asked, after_ms) == film(Ring(COUNT), asked, after_ms)


def test_a_fault_that_is_overruled_is_gone():
    ring = Ring(COUNT)
    ring.show(a_ruling("fault", 0, WHITE, "contact"))
    ring.show(a_ruling("overruled", 100, 0, "denied"))
    assert film(ring, position()) == film(Ring(COUNT), position())


@pytest.mark.parametrize(("deg", "led"), [(0, 0), (90, 15), (180, 30), (354, 59)])
def test_out_of_the_circle_is_shown_where_it_is(deg, led):
    ring = Ring(COUNT)
    ring.show(a_ruling("fault", 0, WHITE, "out"), deg)
    assert lit(ring.paint(0, position())) == tuple(sorted((led + n) % COUNT for n in (-1, 0, 1)))


@pytest.mark.parametrize("why", ["contact", "leaner_fell", "flipped", "stayed_behind"])
@pytest.mark.parametrize("led", [0, 22, 40])
def test_where_a_fault_was_flashes_between_two_dark_leds(why, led):
    there, around = [(led + n) % COUNT for n in (-1, 0, 1)], [(led - 2) % COUNT, (led + 2) % COUNT]
    ring, unmarked = Ring(COUNT), Ring(COUNT)
    ring.show(a_ruling("fault", 0, WHITE, why), 360 * led // COUNT)
    unmarked.show(a_ruling("fault", 0, WHITE, why))
    for t_ms, flash in ((0, there), (250, [])):
        shown, whose = lit(ring.paint(t_ms, position())), lit(unmarked.paint(t_ms, position()))
        assert set(shown) == set(whose) - {*there, *around} | set(flash)


def sides(picture):
    return [len([led for led in lit(picture) if led in side]) for side in (SOUTH, NORTH)]


def test_the_score_is_counted_off_on_each_side_in_turns_with_the_winner():
    over = position(OVER, outcome=("reserve_empty", WHITE, (7, -12)))
    ring = Ring(COUNT)
    assert sides(ring.paint(0, over)) == [30 - 3, 0]
    assert [sides(ring.paint(t_ms, over)) for t_ms in (3000, 3250)] == [[7, 12], [7, 0]]
    three = position(OVER, outcome=("reserve_empty", WHITE, (4, 0, 20)))
    assert lit(ring.paint(3000, three)) == (*range(4), *range(40, 60))


def test_a_host_is_seen_and_hides_nothing():
    ring = Ring(COUNT)
    assert lit(ring.paint(0, position(), connected=True)) == (0, *SOUTH)
    before = bytes(ring.paint(0, position(active=BLACK)))
    assert ring.paint(0, position(active=BLACK), connected=True) == before


def test_any_time_and_any_count_of_leds_can_be_painted():
    for count in (1, 2, 8, 36, 60):
        for phase in ("red_disc", PLAY):
            for t_ms in range(0, 5000, 37):
                assert len(Ring(count).paint(t_ms, position(phase))) == 3 * count


def test_the_azimuth_is_right_within_a_degree():
    for x in range(-50, 51, 3):
        for y in range(-50, 51, 3):
            if x or y:
                wrong = (azimuth_deg(x, y) - degrees(atan2(y, x)) + 180) % 360 - 180
                assert abs(wrong) <= 1
