"""What `polarity bench club` counts by: mats that repeat a game, as a hall stores them."""

from contextlib import closing

from polarity_bench.club.mats import RepeatedMat
from tests.hall import broker, needs_broker  # noqa: F401
from tests.hub.test_intake import Hub
from tests.mqtt.test_publisher import played
from tests.waiting import wait_for


@needs_broker
def test_a_repeated_game_is_a_new_boot_each_time(broker, tmp_path):  # noqa: F811
    lines = [message.as_received() for message in played()]
    with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
        mat = RepeatedMat("oak", 500, lines, broker.broker("oak"), tmp_path, 0)
        mat.start()
        wait_for(lambda: hub.numbers("oak", 501))
        mat.stop()
        for boot in (500, 501):
            own = sorted(number for one, number in mat.played if one == boot)
            wait_for(lambda boot=boot, own=own: hub.numbers("oak", boot) == own)
