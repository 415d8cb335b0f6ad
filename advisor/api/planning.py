"""Plans as answers: made from the bytes of a document, shown in a form, and explained."""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from advisor.api.forms import Form
from advisor.library import Library
from advisor.plan.explaining import quantity_named, tree, workload_named
from advisor.plan.further import ArrivalKind, Further
from advisor.plan.making import make_plan
from advisor.plan.models import CATALOGUE_ONLY
from advisor.plan.plan import Plan, Step
from advisor.report.markdown import plan_markdown
from advisor.report.text import plan_text
from advisor.workload.document import Document

EXAMPLE_PLAN_ID = "5f0c1b2a9d8e7f60718293a4b5c6d7e8"
_WIDTH = 100


class Explanation(BaseModel):
    """How one quantity of a plan was made: its steps by name, itself first, down to answers, catalogue entries and constants."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    quantity: str = Field(description="The quantity's name in the trace.")
    workload: str = Field(description="The workload it belongs to.")
    steps: dict[str, Step] = Field(description="Each step once; `inputs` names the steps it was made from.")


def made(library: Library, document: Document, today: date | None, simulate: ArrivalKind | None) -> Plan:
    """The plan of a document that a request carries: models are read from the catalogue alone."""
    return make_plan(document, library, today=today, access=CATALOGUE_ONLY, further=Further(simulate=simulate))


def plan_in_form(plan: Plan, form: Form) -> bytes:
    """A plan as the bytes of an answer."""
    if form is Form.json:
        return plan.model_dump_json(exclude_none=True, by_alias=True).encode()
    text = plan_markdown(plan) if form is Form.markdown else plan_text(plan, width=_WIDTH, notes=True, facts=False, colour=False)
    return text.encode()


def explanation(plan: Plan, quantity: str, workload: str | None) -> Explanation:
    """How a quantity of a plan was made. Raises UnknownNameError and AmbiguousNameError."""
    found = workload_named(plan, workload)
    wanted = quantity_named(found, quantity)
    return Explanation(quantity=wanted, workload=found.name, steps={name: step for _, name, step, _ in tree(found, wanted)})
