"""The field an answer is typed into."""

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from advisor_tui.actions import GUIDED

_TAKEN = {action.key for action in GUIDED}


def _left(binding: Binding) -> Binding:
    return replace(binding, key=",".join(key for key in binding.key.split(",") if key not in _TAKEN))


class AnswerField(Input, inherit_bindings=False):
    """An input whose own keys leave those of the screen's actions alone."""

    BINDINGS: ClassVar[list[BindingType]] = [_left(binding) for binding in Input.BINDINGS if isinstance(binding, Binding)]
