"""make_plan: the one door from a workload document to a plan."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

import advisor
from advisor.library import Library
from advisor.plan.components import beside, plan_component
from advisor.plan.coverage import not_covered_of_site
from advisor.plan.environment.building import surroundings
from advisor.plan.environment.prices import own_rents
from advisor.plan.environment.totals import together
from advisor.plan.estate_records import EstateReport
from advisor.plan.further import Further
from advisor.plan.judging import judged
from advisor.plan.models import Access
from advisor.plan.one_workload import PlannedWorkload, plan_workload
from advisor.plan.plan import Assumption, MadeWith, Plan, WorkloadPlan
from advisor.plan.rents import Rents
from advisor.plan.training_records import TRAINING_KINDS
from advisor.workload.document import Document

NOT_MODELLED = (
    "the floor space and building of an own hall, taxes, and the carbon of making hardware",
    "prices of switches and of a shared file system: none is dated",
)


def make_plan(
    document: Document,
    library: Library,
    *,
    today: date | None = None,
    access: Access | None = None,
    further: Further | None = None,
) -> Plan:
    """The plan of a document: the same document, day, knowledge and code always give the same plan.

    today: the day prices and terms are reckoned from, unless the document names one; the calendar's if neither does.
    access: where models may be read from beside the catalogue; paths by default. Doors that serve others allow neither.
    further: what is wanted beside the plan.
    Raises InputError, naming the field, for what cannot be planned as asked; nothing is guessed in its place.
    """
    day = document.today or today or date.today()
    rents = Rents(library, day, own_rents(library, document.budget))
    asked = further or Further()
    planned: list[PlannedWorkload] = []
    for index in range(len(document.workloads)):
        if asked.planning is not None:
            asked.planning(index, len(document.workloads))
        planned.append(_planned(library, document, index, rents, access or Access(), asked))
    estate = _estate(document, planned, library, rents, access or Access(), asked)
    planned = [_with_environment(library, document, index, each, rents, day) for index, each in enumerate(planned)]
    advice, switched_off = judged(library, document, day, planned)
    return Plan(
        name=document.name or planned[0].plan.name,
        today=day,
        workloads=tuple(each.plan for each in planned),
        together=together(each.plan for each in planned),
        assumptions=tuple(assumption for each in planned for assumption in (*each.sheet.assumptions(), *_assumed_around(each))),
        advice=advice,
        switched_off=switched_off,
        not_modelled=(*NOT_MODELLED, *not_covered_of_site(document, library)),
        overridden=library.overridden,
        estate=estate,
        made_with=MadeWith(code=advisor.__version__, knowledge=library.knowledge_id, rules=library.rules_id),
    )


def _planned(library: Library, document: Document, index: int, rents: Rents, access: Access, further: Further) -> PlannedWorkload:
    if document.workloads[index].kind in TRAINING_KINDS:
        # What plans training runs is read for them only: it is a tenth of a start.
        from advisor.plan.one_training import plan_training

        planned = plan_training(library, document, index, rents, access)
    else:
        planned = plan_workload(library, document, index, rents, access, further)
    return _with_components(library, document, index, planned, rents, access)


def _estate(
    document: Document, planned: Sequence[PlannedWorkload], library: Library, rents: Rents, access: Access, further: Further
) -> EstateReport | None:
    """Several workloads solved as one; a single one stands alone."""
    if len(planned) < 2:
        return None
    from advisor.plan.estate import plan_estate
    from advisor.plan.estate_pooling import pooled_items

    def plan_one(alone: Document) -> PlannedWorkload:
        return _planned(library, alone, 0, rents, access, Further())

    pooled = pooled_items(document, planned, plan_one)
    return plan_estate(document, planned, library, rents, pooled=pooled, previous=further.previous)


def _with_components(
    library: Library, document: Document, index: int, planned: PlannedWorkload, rents: Rents, access: Access
) -> PlannedWorkload:
    """A served workload with the models that run beside its main one; nothing where the main one has no plan."""
    plan, workload = planned.plan, document.workloads[index]
    if plan.recommended is None or plan.traffic is None:
        return planned

    def plan_one(alone: Document) -> WorkloadPlan:
        return plan_workload(library, alone, 0, rents, access, Further()).plan

    rate = plan.traffic.requests_per_second.value
    found = tuple(
        plan_component(library, document, workload, one, rate, rents, access, plan.environment, plan_one)
        for one in beside(library, workload, planned.sheet, f"workloads[{index}]")
    )
    if not found:
        return planned
    changed = plan.model_copy(update={"components": found, "facts": dict(planned.sheet.facts)})
    return replace(planned, plan=changed)


def _with_environment(
    library: Library, document: Document, index: int, planned: PlannedWorkload, rents: Rents, day: date
) -> PlannedWorkload:
    plan = surroundings(library, document, document.workloads[index], planned.plan, rents, day)
    return replace(planned, plan=plan)


def _assumed_around(planned: PlannedWorkload) -> Iterator[Assumption]:
    """What the environment rests on that nobody stated, beside what the sizes rest on."""
    around = planned.plan.around
    for each in around.assumed if around is not None else ():
        if each.name not in planned.sheet.facts:
            yield Assumption(workload=planned.plan.name, **each.model_dump())
