"""A model that processes items (texts, images, seconds of audio, pictures): what carries its load, and how fast one item is.

The table has a row for every host and batch; the fewest accelerators that keep up win, at the smallest batch that does it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.errors import DocumentError
from advisor.facts import Fact, Label, Origin
from advisor.library import Library
from advisor.plan.load import stated_rate
from advisor.plan.models import Access
from advisor.plan.plan import Configuration, ModelReport, Step, WorkloadPlan
from advisor.plan.pool import accelerators_of, hosts_of
from advisor.plan.quantity import Quantity
from advisor.plan.rents import Rents
from advisor.plan.sheet import FactSheet
from advisor.plan.tracing import walked
from advisor.sizing.candidates import Host
from advisor.sizing.efficiencies import applied_level, efficiency_columns
from advisor.sizing.formula import at, formulas
from advisor.sizing.inference.constants import ITEM_CONSTANTS
from advisor.sizing.inference.item_facts import item_facts, item_kind, item_unit
from advisor.sizing.serving.classes import peak_compute
from advisor.sizing.trace import Trace
from advisor.workload.document import Workload
from advisor.workload.traffic import Traffic

SHOWN: tuple[str, ...] = (
    "item_work",
    "items_needed_per_second",
    "items_per_second",
    "item_accelerators",
    "item_utilisation",
    "item_latency",
    "pass_time",
    "item_weights",
    "item_memory",
    "accelerator_power",
)
_BANDED = ("items_per_second", "item_latency", "pass_time", "item_utilisation")
_USUAL_TOKENS = 512.0
_BATCHES = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0])
_ENGINES = {
    "text-encoder": "text-embeddings-inference",
    "vision-convolution": "tensorrt",
    "vision-transformer": "tensorrt",
    "detection": "tensorrt",
    "speech-decoder": "faster-whisper",
    "speech-encoder": "nemo",
    "diffusion": "diffusers",
}
# Compiled runtimes are what these engines are; pictures are made by compiled kernels too.
_RUNTIME = "compiled"


@dataclass(frozen=True)
class ItemLoad:
    """What arrives: items a second, tokens of each (texts), and what every item is. because: where the rate came from."""

    items_per_second: float
    tokens_per_item: float
    because: str


def item_load(sheet: FactSheet, workload: Workload, model: Model, access: Access, where: str) -> ItemLoad:
    """The load of a workload whose one model processes items: a batch by its deadline, a rate, people, or requests at once."""
    tokens = 0.0
    if item_unit(model) == "text":
        given = float(workload.input_tokens.typical) if workload.input_tokens is not None else None
        tokens = float(
            sheet.answer("tokens_per_item", given, "token")
            if given is not None
            else sheet.assume("tokens_per_item", _USUAL_TOKENS, "token", because="a passage of some paragraphs")
        )
    samples = workload.dataset.samples if workload.dataset is not None else None
    within = workload.finish_within or (workload.targets.finish_within if workload.targets else None)
    if samples is not None and within is not None:
        sheet.answer("dataset_samples", samples)
        sheet.answer("finish_within", within, "second")
        return ItemLoad(samples / within, tokens, "items of the data over the time they must be done in")
    traffic = workload.traffic or Traffic()
    if (rate := stated_rate(sheet, traffic, access, where)) is not None:
        return ItemLoad(rate, tokens, "one item for each request")
    at_once = float(sheet.take("concurrent_requests", traffic.concurrent_requests, "request"))
    return ItemLoad(at_once, tokens, "one item a second from each of those who ask at once")


def plan_items(
    library: Library,
    workload: Workload,
    model: Model,
    sheet: FactSheet,
    load: ItemLoad,
    rents: Rents,
    environment: str,
    where: str,
    *,
    workstation: bool = False,
    role: str | None = None,
) -> WorkloadPlan:
    """The plan of one model that processes items. Raises DocumentError where no accelerator holds it or none is known."""
    form = library.find(Format, workload.precision, where=f"{where}.precision") if workload.precision else None
    bits = form.bits if form is not None else 16.0
    hosts = [
        host
        for host in hosts_of(library, accelerators_of(library, workload, workstation, where), workload)
        if peak_compute(host.accelerator, "fp16") and host.reported_memory
    ]
    if not hosts:
        raise DocumentError(
            "no accelerator with a known rate of arithmetic and memory is left",
            where=f"{where}.accelerators",
            hint="name another one, or widen only",
        )
    facts = _facts(model, hosts, load, float(bits))
    efficiencies = [library.get(Efficiency, id) for id in (*ITEM_CONSTANTS, "target_utilisation")]
    values = formulas().evaluate(SHOWN, {**efficiency_columns(efficiencies, facts), **facts})
    size = len(hosts) * len(_BATCHES)
    column = {name: np.broadcast_to(np.asarray(values[name], dtype=float), (size,)) for name in SHOWN}
    room = np.broadcast_to(np.asarray(facts["usable_memory"], dtype=float), (size,))
    fits = column["item_memory"] <= room
    most = workload.accelerators.max_count if workload.accelerators else None
    if most is not None:
        fits &= column["item_accelerators"] <= most
    report = ModelReport(
        id=model.id,
        name=model.name,
        parameters=model.parameters.total,
        active_parameters=model.parameters.active,
        context=model.context,
        attention="none",
        basis=model.basis,
        sources=tuple(str(source) for source in model.sources),
    )
    best = _best(fits, column, hosts, rents)
    shown = best if best is not None else int(np.argmin(column["item_memory"] - room))
    steps = _steps(values, facts, efficiencies, shown, model)
    chosen = (
        _configuration(library, best, column, values, efficiencies, facts, hosts, rents, model, bits, form)
        if best is not None
        else None
    )
    return WorkloadPlan(
        name=sheet.workload,
        kind=workload.kind,
        environment=environment,
        role=role,
        model=report,
        recommended=chosen,
        ranked_by="rent, then count of accelerators, then latency" if chosen else None,
        not_modelled=_left_out(model),
        considered=size,
        facts=dict(sheet.facts),
        trace=steps,
    )


def _facts(model: Model, hosts: Sequence[Host], load: ItemLoad, bits: float) -> dict[str, Any]:
    """Facts of every host and batch, hosts in order, batches within them."""
    host = np.repeat(np.arange(len(hosts)), len(_BATCHES))
    batch = np.tile(_BATCHES, len(hosts))
    side = list(model.side_parameters.values())

    def of_host(read: Any) -> Any:
        return np.array([float(read(each)) for each in hosts])[host]

    return {
        **item_facts(model),
        "item_runtime": _RUNTIME,
        "item_batch": batch,
        "peak_item_compute": of_host(lambda each: peak_compute(each.accelerator, "fp16") or 0.0),
        "usable_memory": of_host(lambda each: each.reported_memory),
        "power_per_accelerator": of_host(lambda each: each.accelerator.power or np.nan),
        "tokens_per_item": load.tokens_per_item,
        "requests_per_second": load.items_per_second,
        "items_per_request": 1.0,
        "item_weight_bits": bits,
        "group_side_parameters": np.array(side or [0.0])[:, None],
        "group_side_bits": 16.0,
        "image_scale": 1.0,
        "image_activations": 0.0,
        "image_pixels": _pixels(model),
        "image_decoder_channels": 256.0,
        "latent_tokens": 4608.0,
        "denoising_steps": 30.0,
        "guidance_passes": 1.0 if model.family.startswith("FLUX") else 2.0,
        "accelerators": 1.0,
    }


def _pixels(model: Model) -> float:
    return 1024.0**2 if item_unit(model) == "generation" else 0.0


def _best(fits: Any, column: Mapping[str, Any], hosts: Sequence[Host], rents: Rents) -> int | None:
    """The row that keeps up at the least rent, then the fewest accelerators, then the shortest latency."""
    rows = np.flatnonzero(fits)
    if not len(rows):
        return None
    count = column["item_accelerators"][rows]
    rent = []
    for row, number in zip(rows.tolist(), count.tolist(), strict=True):
        offer = rents.of(hosts[row // len(_BATCHES)].accelerator.id, int(number), 1)
        rent.append(np.inf if offer is None else offer.total)
    order = np.lexsort((column["item_latency"][rows], count, np.array(rent)))
    return int(rows[order[0]])


def _configuration(
    library: Library,
    row: int,
    column: Mapping[str, Any],
    values: Mapping[str, Any],
    efficiencies: Sequence[Efficiency],
    facts: Mapping[str, Any],
    hosts: Sequence[Host],
    rents: Rents,
    model: Model,
    bits: float,
    form: Format | None,
) -> Configuration:
    host = hosts[row // len(_BATCHES)]
    count = int(column["item_accelerators"][row])
    speed = applied_level(next(each for each in efficiencies if each.id == "item_speed_factor"), facts, row)

    def quantity(name: str) -> Quantity:
        value = float(column[name][row]) * (count if name == "accelerator_power" else 1)
        low = high = None
        if name in _BANDED:
            rising = name == "items_per_second"
            low = value * (speed.low if rising else 1 / speed.high)
            high = value * (speed.high if rising else 1 / speed.low)
        return Quantity(value=value, unit=formulas().units[name], low=low, high=high, label=Label.estimated)

    return Configuration(
        role="recommended",
        accelerator=host.accelerator.id,
        accelerator_name=host.accelerator.name,
        accelerators=count,
        accelerators_per_node=host.per_node,
        replicas=count,
        tensor_parallel=1,
        pipeline_parallel=1,
        precision=form.id if form is not None else "fp16",
        engine=_ENGINES[str(item_kind(model))],
        sold=rents.sold(host.accelerator.id, count, 1),
        estimates={name: quantity(name) for name in SHOWN if np.isfinite(column[name][row])}
        | {"item_batch": Quantity(value=float(_BATCHES[row % len(_BATCHES)]), unit="1", label=Label.derived)},
        rent=rents.of(host.accelerator.id, count, 1),
    )


def _steps(
    values: Mapping[str, Any], facts: Mapping[str, Any], efficiencies: Sequence[Efficiency], row: int, model: Model
) -> dict[str, Step]:
    sources = tuple(str(source) for source in model.sources)
    known = {
        name: Fact(
            name=name,
            value=_plain(at(values[name], row)),
            origin=Origin(label=Label.catalogue, because=f"model {model.id}", sources=sources),
        )
        for name in facts
    }
    for efficiency in efficiencies:
        level = applied_level(efficiency, values, row)
        known[efficiency.id] = Fact(
            name=efficiency.id,
            value=float(at(values[efficiency.id], row)),
            origin=Origin(
                label=Label.catalogue,
                because=efficiency.meaning,
                sources=tuple(str(source) for source in level.sources or efficiency.sources),
            ),
        )
    trace = Trace(formulas(), values, row, known)
    return walked(trace, SHOWN)


def _plain(value: object) -> float | str:
    return value if isinstance(value, str) else 0.0 if isinstance(value, tuple) else float(str(value))


def _left_out(model: Model) -> tuple[str, ...]:
    """What the speed of this kind of model leaves out."""
    unit = item_unit(model)
    if unit == "image":
        return ("reading, decoding and pre-processing of images, and video decoding: often slower than the model",)
    if unit == "generation":
        return ("text encoding and the final decoding of pictures: a few percent of a generation's time",)
    return ()
