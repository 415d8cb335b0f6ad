"""What a workload document adds to a quote: its models and formats, and whether its plan is met on the quoted accelerators."""

from datetime import date

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.facts import FactValue
from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.plan.models import Access, model_of
from advisor.quote.assembling import stated_bits
from advisor.quote.quote import Quote, Statement, Wanted
from advisor.quote.tally import Tally
from advisor.sizing.limits import MEMORY_LIMITS
from advisor.workload.accelerator_wish import AcceleratorWish
from advisor.workload.document import Document, Workload

_WORKS = {"pretraining": "training", "fine-tuning": "finetune"}
_SERVING = ("realtime-inference", "rag", "agent")
_PLANNED = (*_SERVING, "batch-inference", "evaluation")
# Bits of a checkpoint whose format's name tells none.
_USUAL_BITS = 16.0


def with_workload(quote: Quote, document: Document, library: Library, access: Access) -> Quote:
    """The quote with a document's workloads in place of what its own words say about the use."""
    wanted = tuple(_wanted(each, index, library, access) for index, each in enumerate(document.workloads))
    works = {_WORKS.get(each.kind, "inference") for each in document.workloads}
    statements = [each for each in quote.statements if each.name not in ("interactive", "moe", "lora", "context_tokens")]
    for index, each in enumerate(document.workloads):
        statements += _statements(each, f"workloads[{index}]", library, access)
    return quote.model_copy(
        update={
            "workload": document.name or quote.workload or "as in the workload document",
            "work": works.pop() if len(works) == 1 else "mixed",
            "wanted": wanted,
            "precision": document.workloads[0].precision,
            "statements": tuple(statements),
        }
    )


def _wanted(workload: Workload, index: int, library: Library, access: Access) -> Wanted:
    model = model_of(library, workload.model, f"workloads[{index}].model", access)
    bits = stated_bits(workload.precision or model.format) or _USUAL_BITS
    return Wanted(text=model.name, parameters=model.parameters.total, bits=bits)


def _statements(workload: Workload, where: str, library: Library, access: Access) -> list[Statement]:
    said = [
        name
        for name, holds in (("interactive", workload.kind in _SERVING), ("lora", workload.method in ("lora", "qlora")))
        if holds
    ]
    model: Model = model_of(library, workload.model, f"{where}.model", access)
    if model.experts is not None:
        said.append("moe")
    found = [Statement(name=name, value=True, text=workload.kind, where=where) for name in said]
    if workload.input_tokens is not None:
        tokens = workload.input_tokens.typical
        found.append(Statement(name="input_tokens", value=float(tokens), unit="token", text=f"{tokens:g} tokens", where=where))
    return found


def planned(counted: Tally, document: Document, library: Library, *, today: date, access: Access) -> dict[str, FactValue]:
    """Whether the workloads that can be planned keep their limits on the quoted accelerators, and if not, which limit binds.

    Nothing is said where the quote's accelerator is not in the catalogue, or where several stand side by side.
    """
    gpus = counted.gpus()
    ids = {each.part.id for each in gpus}
    count = sum(each.total or 0.0 for each in gpus)
    only = next(iter(ids), None)
    if only is None or len(ids) != 1 or not library.has(Accelerator, only) or not 1 <= count <= 10_000:
        return {}
    wish = AcceleratorWish(only=(only,), max_count=int(count))
    workloads = tuple(each.model_copy(update={"accelerators": wish}) for each in document.workloads if each.kind in _PLANNED)
    if not workloads:
        return {}
    plan = make_plan(document.model_copy(update={"workloads": workloads}), library, today=today, access=access)
    failed = next((each for each in plan.workloads if each.recommended is None), None)
    facts: dict[str, FactValue] = {"plan_met": failed is None}
    if failed is not None:
        binding = next((each for each in failed.limits if each.binding), None)
        facts["plan_workload"] = failed.name
        facts["plan_limit"] = binding.says if binding else "no configuration of these accelerators is possible"
        facts["plan_memory_binds"] = binding is not None and binding.name in {limit.name for limit in MEMORY_LIMITS}
    return facts
