"""Conditions on facts, as rules, questions and formula variants write them: one comparison a line.

    tensor_parallel > gpus_per_node          fact and fact
    inter_node_bandwidth < "100 Gbit/s"      fact and quantity, with its unit
    engine in [vllm, sglang]                 fact and choices
    precision == "bf16"                      fact and word
    rack_power is unknown                    absence, and `is known`

Ratios and sums are formulas, never arithmetic in a condition.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from advisor.errors import AdvisorError, KnowledgeError, QuantityError
from advisor.facts import FactValue
from advisor.units import base_unit, parse

Operator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "is"]
_SHAPE = re.compile(r"^\s*(?P<fact>[a-z][a-z0-9_]*)\s*(?P<operator>==|!=|<=|>=|<|>|\bin\b|\bis\b)\s*(?P<right>.+?)\s*$")
_NAME = re.compile(r"^[a-z][a-z0-9_]*$")
_QUOTED = re.compile(r"""^(["'])(?P<text>.*)\1$""")
_PLAIN_NUMBER = re.compile(r"^[+-]?(\d[\d_]*\.?\d*|\.\d+)([eE][+-]?\d+)?$")


class Condition(BaseModel):
    """`fact operator right`; `right` is a value in base units, a tuple of choices, or another fact's name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    fact: str
    operator: Operator
    value: FactValue | tuple[FactValue, ...] | None = None
    other: str | None = None
    unit: str | None = None

    @property
    def facts(self) -> tuple[str, ...]:
        """The names it reads."""
        return (self.fact, self.other) if self.other else (self.fact,)

    def holds(self, values: Mapping[str, FactValue]) -> bool:
        """Whether it holds for these values; a missing fact makes every comparison but `is unknown` false."""
        known = self.fact in values
        if self.operator == "is":
            return known == (self.value == "known")
        if not known or (self.other is not None and self.other not in values):
            return False
        left = values[self.fact]
        if self.operator == "in":
            assert isinstance(self.value, tuple)
            return left in self.value
        right = values[self.other] if self.other else self.value
        return bool(_COMPARE[self.operator](left, right))

    def mask(self, columns: Mapping[str, object]) -> NDArray[np.bool_] | bool:
        """The same over columns of a table; every fact must be there."""
        left = np.asarray(columns[self.fact])
        if self.operator == "in":
            assert isinstance(self.value, tuple)
            return one_of(left, self.value)
        right = columns[self.other] if self.other else self.value
        return np.asarray(_COMPARE[self.operator](left, right), dtype=bool)


def one_of(column: object, choices: Sequence[FactValue]) -> NDArray[np.bool_]:
    """Where a column holds one of a few values; np.isin would sort them and import numpy.ma."""
    values = np.asarray(column)
    found = np.zeros(values.shape, dtype=np.bool_)
    for choice in choices:
        found = np.logical_or(found, values == choice)
    return found


_COMPARE = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


@cache
def condition(text: str) -> Condition:
    """Read one condition. Raises KnowledgeError with what was expected; the caller adds file and key."""
    match = _SHAPE.match(text)
    if not match:
        raise KnowledgeError(
            f'"{text}" is not a condition',
            hint="expected: fact operator value, such as `tensor_parallel > 8` or `precision in [fp8, bf16]`",
        )
    fact, operator, right = match["fact"], match["operator"], match["right"]
    if operator == "is":
        if right not in ("known", "unknown"):
            raise KnowledgeError(f'"{text}": after `is` stands known or unknown, not {right}')
        return Condition(text=text, fact=fact, operator="is", value=right)
    if operator == "in":
        if not (right.startswith("[") and right.endswith("]")):
            raise KnowledgeError(f'"{text}": after `in` stands a list in square brackets')
        values = tuple(_value(item.strip())[0] for item in right[1:-1].split(","))
        return Condition(text=text, fact=fact, operator="in", value=values)
    if _NAME.match(right) and right not in ("true", "false"):
        return Condition.model_validate({"text": text, "fact": fact, "operator": operator, "other": right})
    value, unit = _value(right)
    if isinstance(value, str) and not _QUOTED.match(right):
        raise KnowledgeError(
            f'"{text}": a word stands in quotes, a fact\'s name without', hint=f'write {fact} {operator} "{right}"'
        )
    return Condition.model_validate({"text": text, "fact": fact, "operator": operator, "value": value, "unit": unit})


def read_condition(given: Any) -> Any:
    """What records put before a condition's own validation: text becomes a condition, anything else is left as it is."""
    if not isinstance(given, str):
        return given
    try:
        return condition(given)
    except AdvisorError as error:
        raise ValueError("; ".join(part for part in (error.message, error.hint) if part)) from None


def _value(text: str) -> tuple[FactValue, str | None]:
    quoted = _QUOTED.match(text)
    if quoted:
        inner = quoted["text"]
        # A quoted number with a unit is a quantity; any other quoted text is a word.
        unit_text = re.sub(r"^\s*[+-]?[\d_.,]+(?:[eE][+-]?\d+)?\s*", "", inner)
        if unit_text != inner and unit_text:
            try:
                unit = base_unit(unit_text.strip())
            except QuantityError:
                return inner, None
            return parse(inner, unit), unit
        return inner, None
    if text in ("true", "false"):
        return text == "true", None
    if _PLAIN_NUMBER.match(text):
        return float(text.replace("_", "")), None
    if re.match(r"^[\w.\-]+$", text):
        return text, None
    raise KnowledgeError(f'"{text}" is neither a number, a quoted quantity, true, false nor a word')
