"""Formulas: the equations of the calculation, as they are shown under every number."""

from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from advisor.api.errors import Refused, declared
from advisor.api.pages import Page, answer, as_example, page, page_of
from advisor.api.parameters import ListParameters, ListQuery, id_in_path
from advisor.catalogue.names import nearest, normal
from advisor.errors import UnknownNameError
from advisor.library import Library
from advisor.sizing.formula import Formula, all_formulas

router = APIRouter(prefix="/v1/formulas", tags=["formulas"])

_EXAMPLE = "kv_room"


class Parameter(BaseModel):
    """A name that an equation reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    unit: str = Field(description="Its base unit; 1 for plain counts and ratios.")
    formula: bool = Field(description="Whether a formula gives it; otherwise it is a fact.")


class Equation(BaseModel):
    """One way to compute a quantity."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="The function's own name; the quantity's unless it is a variant.")
    applies: str | None = Field(default=None, description="The condition under which it counts; absent where it takes the rest.")
    summary: str
    equation: str = Field(description="The expression as tested; for a procedure its method in words.")
    procedure: bool = Field(description="Whether it is no closed expression.")
    parameters: tuple[Parameter, ...]
    sources: tuple[str, ...]


class FormulaEntry(BaseModel):
    """A quantity and how it is computed.

    equation, parameters and sources are those that count where no variant applies, and absent where variants cover every case.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    unit: str = Field(description="Its base unit; 1 for plain counts and ratios.")
    summary: str
    equation: str | None = None
    procedure: bool = False
    parameters: tuple[Parameter, ...] | None = None
    sources: tuple[str, ...] | None = None
    variants: tuple[Equation, ...] = Field(default=(), description="In the order they are tried; the first that applies counts.")


@router.get(
    "",
    response_model=page_of(FormulaEntry),
    responses=declared("parameter", "unknown-name"),
    operation_id="list_formulas",
    summary="List formulas",
)
def every(chosen: ListQuery) -> Response:
    """Every quantity that is computed, or those whose name or summary contains all words of `q`, in pages."""
    return answer(_page(chosen))


@router.get(
    "/{name}",
    response_model=FormulaEntry,
    responses=declared("no-such-entry"),
    operation_id="get_formula",
    summary="One formula",
)
def one(name: Annotated[str, id_in_path(_EXAMPLE)]) -> Response:
    """The equation of a quantity, its parameters with their units, its sources, and its variants with their conditions."""
    known = all_formulas().formulas
    if name not in known:
        error = UnknownNameError(f'no formula computes "{name}"', nearest=nearest(name, known))
        raise Refused("no-such-entry", error)
    return answer(_entry(name))


def examples(library: Library) -> dict[str, Any]:
    """A formula with variants, and the first of the list."""
    return {"list_formulas": as_example(_page(ListParameters(limit=1))), "get_formula": as_example(_entry(_EXAMPLE))}


def _page(chosen: ListParameters) -> Page:
    words = [word for word in normal(chosen.q).split("-") if word]
    found = [name for name in sorted(all_formulas().formulas) if all(word in _searched(name) for word in words)]
    return page(FormulaEntry, found, chosen, _entry)


def _searched(name: str) -> str:
    return " ".join(normal(f"{name} {variant.summary}") for variant in all_formulas().formulas[name])


def _entry(name: str) -> FormulaEntry:
    variants = all_formulas().formulas[name]
    general = next((_equation(each) for each in variants if not each.when), None)
    return FormulaEntry(
        name=name,
        unit=variants[-1].unit,
        summary=variants[-1].summary,
        equation=general.equation if general else None,
        procedure=general.procedure if general else False,
        parameters=general.parameters if general else None,
        sources=general.sources if general else None,
        variants=tuple(_equation(each) for each in variants if each.when),
    )


def _equation(formula: Formula) -> Equation:
    return Equation(
        name=formula.name,
        applies=formula.condition_text or None,
        summary=formula.summary,
        equation=formula.equation,
        procedure=formula.method is not None,
        parameters=tuple(
            Parameter(name=name, unit=formula.units[name], formula=name in all_formulas().formulas) for name in formula.parameters
        ),
        sources=tuple(str(source) for source in formula.sources),
    )
