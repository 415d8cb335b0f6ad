"""The registry refuses what does not fit, evaluates whole tables, and needs one function in one file for a new formula."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from advisor.errors import FormulaError
from advisor.facts import answered
from advisor.sizing.formula import Registry, all_formulas, formulas
from advisor.sizing.trace import Trace
from advisor.units import Bytes, Count, Tokens, where


def test_a_new_formula_is_one_function_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "addition.py"
    file.write_text(
        "from advisor.sizing.formula import all_formulas, cite, formula\n"
        "from advisor.units import Bytes, Count\n\n\n"
        '@formula(sources=[cite("vllm-startup-logs")])\n'
        "def weights_of_two_models(weights: Bytes, model_copies: Count) -> Bytes:\n"
        '    """Weights of several copies of one model."""\n'
        "    return weights * model_copies\n"
    )
    registry = all_formulas()
    before = dict(registry.formulas)
    try:
        spec = importlib.util.spec_from_file_location("addition", file)
        assert spec is not None
        assert spec.loader is not None
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        facts = {"weights": np.array([1e9, 2e9]), "model_copies": 3.0}
        values = registry.evaluate(["weights_of_two_models"], facts)
        assert values["weights_of_two_models"].tolist() == [3e9, 6e9]
        shown = Trace(registry, values, 1, {"weights": answered("weights", 2e9, "byte")}).estimate("weights_of_two_models")
        assert shown.equation == "weights * model_copies"
        assert shown.unit == "byte"
        assert shown.inputs == ("weights", "model_copies")
    finally:
        registry.formulas.clear()
        registry.formulas.update(before)


def test_units_that_disagree_are_refused() -> None:
    registry = Registry()

    def cache(tokens: Tokens) -> Bytes:
        """Something in bytes."""
        return tokens

    def load(cache: Tokens) -> Tokens:
        """Takes the cache for tokens."""
        return cache

    registry.formula()(cache)
    with pytest.raises(FormulaError, match='"cache" is in token here and in byte elsewhere'):
        registry.formula()(load)


def test_a_formula_without_units_or_docstring_is_refused() -> None:
    def bare(tokens: float) -> Bytes:
        """No unit."""
        return tokens

    def silent(tokens: Tokens) -> Bytes:
        return tokens

    with pytest.raises(FormulaError, match="tokens has no unit"):
        Registry().formula()(bare)
    with pytest.raises(FormulaError, match="no docstring"):
        Registry().formula()(silent)


def test_a_body_of_several_statements_has_no_equation() -> None:
    registry = Registry()

    @registry.formula()
    def doubled(tokens: Tokens) -> Tokens:
        """Twice."""
        twice = tokens * 2
        return twice

    with pytest.raises(FormulaError, match="more than one return expression"):
        _ = registry.formulas["doubled"][0].equation


def test_variants_are_joined_by_masks_and_the_trace_says_which() -> None:
    registry = Registry()

    @registry.formula()
    def room(total: Bytes) -> Bytes:
        """All of it."""
        return total

    @registry.formula(of="room", when='engine == "careful"')
    def room_careful(total: Bytes) -> Bytes:
        """Half of it."""
        return total / 2

    facts = {"total": np.array([10.0, 10.0]), "engine": np.array(["careful", "bold"])}
    values = registry.evaluate(["room"], facts)
    assert values["room"].tolist() == [5.0, 10.0]
    assert Trace(registry, values, 0, {}).estimate("room").applies == 'engine == "careful"'
    assert Trace(registry, values, 1, {}).estimate("room").applies is None


def test_a_row_without_a_variant_is_an_error() -> None:
    registry = Registry()

    @registry.formula(of="room", when='engine == "careful"')
    def room_careful(total: Bytes) -> Bytes:
        """Half of it."""
        return total / 2

    with pytest.raises(FormulaError, match="no variant"):
        registry.evaluate(["room"], {"total": 1.0, "engine": "bold"})


def test_what_is_missing_and_what_needs_it_are_named() -> None:
    registry = Registry()

    @registry.formula()
    def share(part: Bytes, whole: Bytes) -> Count:
        """A ratio."""
        return part / whole

    with pytest.raises(FormulaError, match='no fact and no formula gives "whole"') as caught:
        registry.evaluate(["share"], {"part": 1.0})
    assert caught.value.where == "needed by share"


def test_a_circle_is_an_error() -> None:
    registry = Registry()

    @registry.formula()
    def chicken(egg: Count) -> Count:
        """From the egg."""
        return egg

    @registry.formula()
    def egg(chicken: Count) -> Count:
        """From the chicken."""
        return chicken

    with pytest.raises(FormulaError, match="needs itself: chicken -> egg -> chicken"):
        registry.evaluate(["chicken"], {})


def test_a_fact_given_under_a_formulas_name_is_taken() -> None:
    values = formulas().evaluate(["weights"], {"weights": 7.0})
    assert values["weights"] == 7.0


def test_where_keeps_floats_and_columns_alike() -> None:
    assert float(where(True, 1.0, 2.0)) == 1.0
    assert np.asarray(where(np.array([True, False]), 1.0, 2.0)).tolist() == [1.0, 2.0]


def test_no_quantity_is_split_over_what_is_read_at_once_and_what_is_read_later() -> None:
    """A variant that stands among the later subjects would be missed until one of their names is asked for."""
    served = ("load", "memory", "serving", "running", "scaling", "availability", "queueing", "inference.prefix")

    def at_once(module: str) -> bool:
        steps = module.split(".")[2:]
        return ".".join(steps[:2]) in served or steps[0] in served

    for quantity, variants in all_formulas().formulas.items():
        assert len({at_once(each.function.__module__) for each in variants}) == 1, quantity
