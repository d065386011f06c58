"""The commands of firmware/PROTOCOL.md that the mat's two buttons stand for.

| | first button | second button |
|---|---|---|
| pressed, while the mat asks whether something was so | yes | no |
| pressed, while it asks whose something was | white | black |
| held | the last ruling is void; held again, it counts | back to before the last ruling |

A short press does nothing while the mat asks nothing: hands come near the buttons in play.
"""

from .rules.faults import WAS_IT_SO


def command_for(
    number: int, held: bool, question: "tuple[int, str] | tuple[()]"
) -> "tuple[str, list[str]] | None":
    """(name, words) of the command that button `number`, 0 or 1, stands for, or None. `question` is
    the position's."""
    if held:
        return ("undo", ["0"]) if number else ("overrule", ["0", "denied"])
    if not question:
        return None
    answers = ("yes", "no") if question[1] == WAS_IT_SO else ("w", "b")
    return "answer", ["0", answers[number]]
