"""Services that could share replicas: the same model asked the same way, by those who may stand together.

Their loads are added and planned anew by the same formulas, as if they were one service; the estate takes whichever is cheaper.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from advisor.plan.estate_items import Item, items_of
from advisor.plan.one_workload import PlannedWorkload
from advisor.workload.document import Document, Workload
from advisor.workload.traffic import Traffic

# A load is said in one of these ways, and only loads said alike are added.
_LOADS = ("requests_per_second", "concurrent_requests", "people")


def pooled_items(
    document: Document, planned: Sequence[PlannedWorkload], plan_one: Callable[[Document], PlannedWorkload]
) -> tuple[Item, ...]:
    """An item for each group of services that could share replicas. plan_one: plans a document of one workload."""
    items = {item.name: item for item in items_of(document, planned)}
    groups: dict[str, list[tuple[Workload, Item]]] = defaultdict(list)
    for workload, each in zip(document.workloads, planned, strict=True):
        item = items.get(each.plan.name)
        if item is not None and item.runs is None and not each.plan.components and _load(workload) is not None:
            groups[_profile(workload, item)].append((workload, item))
    return tuple(_pooled(document, group, plan_one) for group in groups.values() if len(group) > 1)


def _load(workload: Workload) -> str | None:
    """The one way in which a load is said, or none where it is said in several ways or by a trace."""
    if workload.traffic is None or workload.traffic.trace is not None:
        return None
    said = [name for name in _LOADS if getattr(workload.traffic, name) is not None]
    return said[0] if len(said) == 1 else None


def _profile(workload: Workload, item: Item) -> str:
    body: dict[str, Any] = workload.model_dump(mode="json", exclude={"name", "data"})
    for name in (*_LOADS, "growth_per_year"):
        body["traffic"].pop(name, None)
    return json.dumps([body, _load(workload), item.sharing, item.environment], sort_keys=True)


def _pooled(document: Document, group: Sequence[tuple[Workload, Item]], plan_one: Callable[[Document], PlannedWorkload]) -> Item:
    first, head = group[0]
    load = _load(first)
    assert load is not None
    assert first.traffic is not None
    loads = [float(getattr(workload.traffic, load)) for workload, _ in group]
    growth = sum(item.growth * each for (_, item), each in zip(group, loads, strict=True)) / sum(loads)
    name = f"{head.name} and {len(group) - 1} more"
    body = {**first.traffic.model_dump(), load: sum(loads), "growth_per_year": growth or None}
    together = first.model_copy(update={"name": name, "traffic": Traffic.model_construct(**body)})
    alone = document.model_copy(update={"workloads": (together,), "estate": None})
    found = items_of(alone, [plan_one(alone)])
    members = tuple(item.name for _, item in group)
    made = replace(found[0], sharing=head.sharing) if found else replace(head, name=name, options=())
    return replace(made, members=members, instead_of=members)
