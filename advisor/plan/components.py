"""The other models of a workload: those it names, and for retrieval the embedder and reranker it needs; each sized by itself."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from advisor.library import Library
from advisor.plan.items import ItemLoad, plan_items
from advisor.plan.models import Access, model_of
from advisor.plan.plan import WorkloadPlan
from advisor.plan.rents import Rents
from advisor.plan.sheet import FactSheet
from advisor.sizing.inference.item_facts import item_kind
from advisor.workload.document import Document, Workload
from advisor.workload.model_wish import Component
from advisor.workload.traffic import Traffic

# Retrieval needs these whether or not they were chosen; both are open, small and multilingual.
_USUAL = {"embedder": "bge-m3", "reranker": "bge-reranker-v2-m3"}
_USUAL_CANDIDATES = 50.0
_QUESTION_TOKENS = 64.0
_CHUNK_TOKENS = 512.0
# Roles that take part in training only, or change how the main model runs instead of running beside it.
_NOT_BESIDE = ("generator", "draft", "policy", "reference", "reward", "critic", "teacher")


@dataclass(frozen=True)
class Beside:
    """One model beside the main one, and how often a request calls it."""

    component: Component
    where: str
    calls: float


def beside(library: Library, workload: Workload, sheet: FactSheet, where: str) -> Iterator[Beside]:
    """The components to size: stated ones in their order, then those that retrieval cannot do without."""
    stated = {component.role for component in workload.components}
    for number, component in enumerate(workload.components):
        if component.role in _NOT_BESIDE:
            continue
        usual = _USUAL_CANDIDATES if component.role == "reranker" else 1.0
        calls = component.calls_per_request
        if calls is None and component.role == "reranker":
            sheet.assume("rerank_candidates", usual, "1", because="passages that retrieval usually hands to a reranker")
        yield Beside(component, f"{where}.components[{number}]", float(calls if calls is not None else usual))
    if workload.kind != "rag":
        return
    for role, model in _USUAL.items():
        if role not in stated:
            sheet.assume(role, model, because=f"retrieval needs one, and none was named; {model} is open and multilingual")
            calls = _USUAL_CANDIDATES if role == "reranker" else 1.0
            if role == "reranker":
                sheet.assume("rerank_candidates", calls, "1", because="passages that retrieval usually hands to a reranker")
            yield Beside(Component.model_validate({"role": role, "model": model}), f"{where}.components", calls)


def plan_component(
    library: Library,
    document: Document,
    workload: Workload,
    one: Beside,
    requests_per_second: float,
    rents: Rents,
    access: Access,
    environment: str,
    plan_one: Callable[[Document], WorkloadPlan],
) -> WorkloadPlan:
    """The plan of one component at the rate that requests call it. plan_one: plans a document of one served model."""
    component, where = one.component, one.where
    model = model_of(library, component.model, f"{where}.model", access)
    rate = requests_per_second * one.calls
    name = f"{workload.name or 'workload'}/{component.role}"
    sub = Workload.model_validate(
        {
            "name": name,
            "kind": "realtime-inference",
            "model": component.model,
            **{
                key: value
                for key in ("precision", "kv_precision", "engine", "engine_version", "engine_settings")
                if (value := getattr(component, key)) is not None
            },
            **({"input_tokens": component.input_tokens} if component.input_tokens is not None else {}),
            **({"output_tokens": component.output_tokens} if component.output_tokens is not None else {}),
            **({"accelerators": workload.accelerators} if workload.accelerators is not None else {}),
            "traffic": Traffic(requests_per_second=rate),
        }
    )
    if item_kind(model) is None:
        alone = document.model_copy(update={"workloads": (sub,)})
        return plan_one(alone).model_copy(update={"role": component.role})
    sheet = FactSheet(name, library)
    sheet.answer("kind", "realtime-inference")
    tokens = _tokens(sheet, component, workload)
    load = ItemLoad(rate, tokens, f"{one.calls:g} for each request")
    workstation = bool(document.site and document.site.deployment in ("workstation", "edge"))
    return plan_items(library, sub, model, sheet, load, rents, environment, where, workstation=workstation, role=component.role)


def _tokens(sheet: FactSheet, component: Component, workload: Workload) -> float:
    """Tokens of one item: as stated, else of a question, or of a question with one passage."""
    if component.input_tokens is not None:
        return float(sheet.answer("tokens_per_item", float(component.input_tokens.typical), "token"))
    chunk = float(workload.data.chunk_tokens) if workload.data and workload.data.chunk_tokens else _CHUNK_TOKENS
    if component.role == "reranker":
        tokens = chunk + _QUESTION_TOKENS
        return float(sheet.assume("tokens_per_item", tokens, "token", because="a question and one passage together"))
    return float(sheet.assume("tokens_per_item", _QUESTION_TOKENS, "token", because="one question of a few sentences"))
