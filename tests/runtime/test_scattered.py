"""Much memory may be free, but none of it in one piece."""

from pathlib import Path

from polarity_bench.faults import memory

HEAP_KB = 4096  # with the 1,536 of other runs the frames of the game take minutes
SCRIPT = Path(__file__).with_name("scattered_script.py")


def test_a_game_is_saved_and_gone_on_with_when_memory_is_all_in_small_pieces(tmp_path):
    recording = tmp_path / "short.matrec"
    memory.short_game(recording, seed=3)
    scattered, said = memory.limited(str(SCRIPT), recording, {}, HEAP_KB)
    assert scattered
    assert said == "the game goes on: 5 pieces remembered, 0 lie elsewhere"
