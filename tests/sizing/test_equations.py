"""Every shown equation, evaluated as text on random numbers, gives what its function gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor import units
from advisor.sizing.formula import Formula, all_formulas

_NAMES = ("ceil", "floor", "log2", "exp", "maximum", "minimum", "where", "total", "largest", "smallest")
_WORDS = {name: getattr(units, name) for name in _NAMES}
_ALL = [each for variants in all_formulas().formulas.values() for each in variants]


@pytest.mark.parametrize("each", _ALL, ids=lambda each: each.name)
def test_the_shown_equation_is_the_function(each: Formula) -> None:
    if each.method is not None:
        assert len(each.method) > 20
        return
    equation = compile(each.equation, each.name, "eval")

    @settings(max_examples=30, deadline=None)
    @given(st.data())
    def agrees(data: st.DataObject) -> None:
        number = st.floats(min_value=0.5, max_value=1e6)
        values = {
            name: np.array([[data.draw(number)], [data.draw(number)]])
            if name.startswith("group_")
            else np.float64(data.draw(number))
            for name in each.parameters
        }
        with np.errstate(all="ignore"):  # a power of random numbers may leave the range of floats, on both sides alike
            shown = np.asarray(eval(equation, {"__builtins__": {}}, {**_WORDS, **values}), dtype=float)
            computed = np.asarray(each.function(**values), dtype=float)
        assert np.shape(shown) == np.shape(computed)
        assert np.allclose(shown, computed, rtol=1e-12, atol=0, equal_nan=True)

    agrees()


def test_every_formula_says_what_it_is() -> None:
    for each in _ALL:
        assert len(each.summary) > 15, each.name
        assert each.unit, each.name
