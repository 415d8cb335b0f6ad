"""The formula registry: functions named for what they compute, evaluated over a whole table of candidates at once.

A formula's parameters are names of facts or of other formulas, and its annotations are units; the registry refuses a formula
that takes in one unit what another hands out in a second. The equation shown to people is read from the function's return
expression, so it is written once. Where engines or eras count one quantity differently it has variants, each with a condition
(`when`), joined over the table by masks. What is no closed expression is a procedure: declared the same way, with its method in
words instead of an equation.

Values are floats, one per table row (shape rows), or one per layer group of the model and row (shape groups x rows, names
beginning with `group_`); `total` and `largest` fold the groups.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from textwrap import dedent
from threading import RLock
from typing import Any, TypeVar, cast, get_args

import numpy as np

from advisor.conditions import Condition, condition
from advisor.errors import FormulaError
from advisor.units import Quantity, Unit

Function = TypeVar("Function", bound=Callable[..., Quantity])
Values = dict[str, Any]


@dataclass(frozen=True)
class Citation:
    """A source by id and the place inside it."""

    source: str
    place: str | None = None

    def __str__(self) -> str:
        return f"{self.source}, {self.place}" if self.place else self.source


def cite(source: str, place: str | None = None) -> Citation:
    """Cite a source by its id in knowledge/sources, and where in it the statement stands."""
    return Citation(source, place)


@dataclass(frozen=True)
class Formula:
    """One registered function. `quantity` is the name it computes, `name` the function's own (they differ for variants)."""

    name: str
    quantity: str
    function: Callable[..., Quantity]
    parameters: tuple[str, ...]
    units: Mapping[str, str]
    unit: str
    sources: tuple[Citation, ...]
    when: tuple[Condition, ...] = ()
    method: str | None = None

    @cached_property
    def equation(self) -> str:
        """The return expression as written, in one line; a procedure's method in words."""
        return self.method or returned_expression(self.function)

    @cached_property
    def summary(self) -> str:
        """The first sentence of its docstring, as a report may print it."""
        return " ".join((self.function.__doc__ or "").split("\n\n")[0].split())

    @cached_property
    def condition_text(self) -> str:
        return " and ".join(each.text for each in self.when)


@dataclass
class Registry:
    """Formulas by quantity, and the unit of every name they mention."""

    formulas: dict[str, list[Formula]] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)

    def formula(
        self,
        *,
        sources: Iterable[Citation] = (),
        of: str | None = None,
        when: str | Iterable[str] = (),
        method: str | None = None,
    ) -> Callable[[Function], Function]:
        """Register the decorated function as the formula of the quantity it is named for, or as a variant `of` one.

        when: conditions on facts, all of which must hold on a row for the variant to apply; of a quantity's variants the first
        whose conditions hold is used, and one without conditions applies to what is left.
        method: makes it a procedure, with this description in place of an equation.
        Raises FormulaError for missing units, units that disagree, or a body that is more than one return expression.
        """

        def register(function: Function) -> Function:
            self._add(function, tuple(sources), of, (when,) if isinstance(when, str) else tuple(when), method)
            return function

        return register

    def _add(
        self,
        function: Callable[..., Quantity],
        sources: tuple[Citation, ...],
        of: str | None,
        when: tuple[str, ...],
        method: str | None,
    ) -> None:
        name = function.__name__
        quantity = of or name
        annotations = dict(function.__annotations__)
        unit = _unit_of(annotations.pop("return", None), name, "its result")
        units = {parameter: _unit_of(annotation, name, parameter) for parameter, annotation in annotations.items()}
        parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
        if missing := [parameter for parameter in parameters if parameter not in units]:
            raise FormulaError(f"{missing[0]} has no unit", where=f"formula {name}", hint="annotate it, as in `tokens: Tokens`")
        if not function.__doc__:
            raise FormulaError("it has no docstring", where=f"formula {name}")
        for mentioned, its_unit in {quantity: unit, **units}.items():
            known = self.units.setdefault(mentioned, its_unit)
            if known != its_unit:
                raise FormulaError(
                    f'"{mentioned}" is in {its_unit} here and in {known} elsewhere',
                    where=f"formula {name}",
                    hint="rename one of them, or convert in a formula of its own",
                )
        conditions = tuple(condition(text) for text in when)
        others = self.formulas.setdefault(quantity, [])
        if any(other.name == name for other in others):
            raise FormulaError("it is declared twice", where=f"formula {name}")
        if not conditions and any(not other.when for other in others):
            raise FormulaError(
                f'"{quantity}" has two formulas without a condition', where=f"formula {name}", hint="give one of them `when`"
            )
        others.append(Formula(name, quantity, function, parameters, units, unit, sources, conditions, method))
        others.sort(key=lambda each: not each.when)  # the one without conditions takes what is left

    def evaluate(self, wanted: Iterable[str], facts: Mapping[str, Any]) -> Values:
        """The wanted quantities and everything they were made from, over all rows of `facts` at once.

        A fact given under a formula's name is taken instead of it. Raises FormulaError for a quantity that is neither.
        """
        values: Values = dict(facts)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for name in wanted:
                self._resolve(name, values, ())
        return values

    def _resolve(self, name: str, values: Values, path: tuple[str, ...]) -> Any:
        if name in values:
            return values[name]
        if name in path:
            raise FormulaError(f"it needs itself: {' -> '.join((*path, name))}", where=f"formula {name}")
        variants = self.formulas.get(name) or (self is registry and all_formulas().formulas.get(name)) or None
        if not variants:
            raise FormulaError(
                f'no fact and no formula gives "{name}"', where=f"needed by {' <- '.join(reversed(path)) or 'the request'}"
            )
        values[name] = self._compute(name, variants, values, (*path, name))
        return values[name]

    def _compute(self, name: str, variants: list[Formula], values: Values, path: tuple[str, ...]) -> Quantity:
        if len(variants) == 1 and not variants[0].when:
            return self._call(variants[0], values, path)
        result: Any = None
        left: Any = True
        for variant in variants:
            mask: Any = left
            for each in variant.when:
                for fact in each.facts:
                    self._resolve(fact, values, path)
                mask = mask & each.mask(values)
            array = np.asarray(mask)
            if not array.any():
                continue
            value = self._call(variant, values, path)
            result = value if array.all() else np.where(mask, value, np.nan if result is None else result)
            left = left & ~array
            if not left.any():
                break
        else:
            raise FormulaError(f'no variant of "{name}" applies to every row', where=f"formula {name}")
        return cast(Quantity, result)

    def _call(self, formula: Formula, values: Values, path: tuple[str, ...]) -> Quantity:
        return formula.function(
            *[values[name] if name in values else self._resolve(name, values, path) for name in formula.parameters]
        )

    def applied(self, name: str, values: Mapping[str, Any], row: int) -> Formula | None:
        """The formula that gave `name` on this row, or None where it was a fact."""
        for variant in self.formulas.get(name, ()):
            if all(bool(at(each.mask(values), row)) for each in variant.when):
                return variant
        return None

    def needs(self, wanted: Iterable[str]) -> set[str]:
        """Names of all facts and formulas that the wanted quantities are made from."""
        found: set[str] = set()
        stack = list(wanted)
        while stack:
            name = stack.pop()
            if name in found:
                continue
            found.add(name)
            for formula in self.formulas.get(name, ()):
                stack.extend(formula.parameters)
                stack.extend(fact for each in formula.when for fact in each.facts)
        return found


def at(value: Any, row: int) -> Any:
    """A column's value on one row: a float, or one float per layer group."""
    array = np.asarray(value)
    if array.ndim == 0:
        return array.item()
    last = array[..., row if array.shape[-1] > 1 else 0]
    return last.item() if last.ndim == 0 else tuple(last.tolist())


def returned_expression(function: Callable[..., Quantity]) -> str:
    """The single return expression of a function, in one line. Raises FormulaError when there is more to its body."""
    code = function.__code__
    try:
        node = ast.parse(_source_of(code.co_filename, code.co_firstlineno)).body[0]
    except (OSError, SyntaxError, IndexError):
        node = None
    if not isinstance(node, ast.FunctionDef) or node.name != function.__name__:
        raise FormulaError("its source is not to be found", where=f"formula {function.__name__}")
    body = [each for each in node.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        raise FormulaError(
            "its body is more than one return expression",
            where=f"formula {function.__name__}",
            hint="split it, or declare a method",
        )
    return ast.unparse(body[0].value)


def _source_of(file: str, first: int) -> str:
    """The lines of one function, decorators included: to parse it alone takes a fifth of the time of its whole file.

    A function ends before the next line that begins at the left edge, the closing bracket of its parameters aside.
    """
    lines = _lines_of(file)
    start = next(place for place in range(first - 1, len(lines)) if lines[place].lstrip().startswith("def "))
    edge = len(lines[start]) - len(lines[start].lstrip())
    end = start + 1
    while end < len(lines) and (not lines[end].strip() or lines[end][: edge + 1].isspace() or lines[end][edge:].startswith(")")):
        end += 1
    return dedent("\n".join(lines[first - 1 : end]))


@cache
def _lines_of(file: str) -> tuple[str, ...]:
    return tuple(Path(file).read_text(encoding="utf-8").splitlines())


def _unit_of(annotation: Any, formula: str, what: str) -> str:
    for argument in get_args(annotation)[1:]:
        if isinstance(argument, Unit):
            return argument.name
    raise FormulaError(f"{what} has no unit", where=f"formula {formula}", hint="annotate it, as in `tokens: Tokens`")


registry = Registry()
formula = registry.formula


def formulas() -> Registry:
    """The registry with the formulas of serving in it; the other subjects join when a name of theirs is first asked for.

    A serving plan needs a third of all formulas, and reading the rest would double its start. To list them use `all_formulas`.
    """
    if "served" not in _LOADED:
        _load(served=True)
        _LOADED.add("served")
    return registry


def all_formulas() -> Registry:
    """The registry with every formula of the package `advisor.sizing` in it."""
    formulas()
    with _LOADING:
        if "all" not in _LOADED:
            _load(served=False)
            _LOADED.add("all")
    return registry


def _load(*, served: bool) -> None:
    """Import the modules of what serving needs, or of all other subjects."""
    import advisor.sizing as package

    for module in walk_packages(package.__path__, package.__name__ + "."):
        steps = module.name.split(".")[2:]
        mine = ".".join(steps[:2]) in _SERVED or steps[0] in _SERVED
        if mine is served and _NOT_SUBJECTS.isdisjoint(steps):
            import_module(module.name)


_LOADED: set[str] = set()
_LOADING = RLock()
_SERVED = {"load", "memory", "serving", "running", "scaling", "availability", "queueing", "inference.prefix"}
_NOT_SUBJECTS = {
    "formula",
    "trace",
    "candidates",
    "limits",
    "choose",
    "classes",
    "constants",
    "speed_constants",
    "run_constants",
    "deadline",
    "speed_facts",
    "efficiencies",
    "size",
    "targets",
    "simulation",
    "fabric_bill",
    "hybrid",
    "uncertainty",
}
