"""One training workload: its run, every layout on every host, the cheapest that meets the deadline, and the trace of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.model import Model
from advisor.errors import DocumentError
from advisor.library import Library
from advisor.plan.pool import accelerators_of, hosts_of
from advisor.plan.sheet import FactSheet
from advisor.plan.training_facts import Run
from advisor.sizing.candidates import Host
from advisor.sizing.limits import Limit, within
from advisor.sizing.training.facts import TrainingSettings, training_columns
from advisor.sizing.training.layouts import LayoutQuestion, Layouts, layouts
from advisor.sizing.training.memory.constants import TRAINING_MEMORY, TRAINING_MEMORY_CONSTANTS
from advisor.sizing.training.run_constants import TRAINING_RUN_CONSTANTS
from advisor.sizing.training.speed_constants import TRAINING_SPEED_CONSTANTS
from advisor.sizing.training.speed_facts import TrainingSetup, speed_facts
from advisor.sizing.training.table import TrainingTable, size_layouts
from advisor.workload.document import Document, Workload

SPEED: tuple[str, ...] = (
    "training_step_time",
    "training_tokens_per_second",
    "training_tokens_per_second_per_accelerator",
    "model_flops_utilization",
    "pipeline_bubble",
    "exposed_communication_share",
    "training_flops_per_token",
    "training_work",
)
RUN: tuple[str, ...] = (
    "optimizer_steps",
    "time_to_train",
    "accelerator_time",
    "campaign_accelerator_time",
    "goodput",
    "mean_time_between_interruptions",
    "expected_interruptions",
    "checkpoint_size",
    "checkpoint_interval",
    "checkpoint_stall",
    "checkpoint_space",
    "training_power",
    "training_energy",
    "dataset_read_bandwidth",
    "loader_cores",
    "node_cores",
    "node_host_memory",
)
SHOWN = (*TRAINING_MEMORY, *SPEED, *RUN)
_LAYOUT = (
    "tensor_parallel",
    "pipeline_parallel",
    "data_parallel",
    "micro_batch",
    "gradient_accumulation",
    "virtual_stages",
    "context_parallel",
    "expert_parallel",
    "zero_stage",
    "recomputation",
)
_MEMORY_LAYOUT = (*_LAYOUT, "accelerators", "sharded_over", "sequence_parallel")
# Counts worth a look where none is asked for: up to a server, then whole servers.
_COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
_FEW = 64
DEADLINE = "finish within"


@dataclass(frozen=True)
class HostTable:
    """The layouts of a run on one host, sized, with the columns they were made from."""

    host: Host
    layouts: Layouts
    table: TrainingTable
    usual_network: bool


def sized_layouts(
    library: Library, document: Document, workload: Workload, model: Model, run: Run, sheet: FactSheet, where: str
) -> tuple[HostTable, ...]:
    """Every legal layout of a run on every host that may be used. Raises DocumentError where no host is left."""
    workstation = bool(document.site and document.site.deployment in ("workstation", "edge"))
    parts = [part for part in accelerators_of(library, workload, workstation, where) if _can_train(part, workload, where)]
    if not parts:
        raise DocumentError(
            "no accelerator is left to train on", where=f"{where}.accelerators", hint="widen only, or exclude fewer"
        )
    efficiencies = [
        library.get(Efficiency, id)
        for id in (
            *TRAINING_MEMORY_CONSTANTS,
            *TRAINING_SPEED_CONSTANTS,
            *TRAINING_RUN_CONSTANTS,
            "usual_inter_node_bandwidth",
            "storage_bandwidth_per_node",
            "stored_bytes_per_token",
        )
    ]
    found = []
    for host in hosts_of(library, parts, workload):
        counts = _counts(workload, library, host, run)
        made = layouts(
            LayoutQuestion(
                model=model,
                hosts=(host,),
                counts=counts,
                stack=run.stack,
                sequence_length=run.sequence_length,
                global_batch=run.global_batch,
                asked=run.asked,
            )
        )
        if not len(made):
            continue
        facts = _facts(library, document, model, host, run, made, sheet)
        limits = _limits(workload, run)
        found.append(HostTable(host, made, size_layouts(facts, len(made), efficiencies, SHOWN, limits), "site" not in facts))
    if not found:
        raise DocumentError(
            f"a step of {run.global_batch:,} sequences divides over none of the counts of accelerators that may be used",
            where=f"{where}.batch",
            hint="give a batch that the accelerators divide, or another count",
        )
    return tuple(found)


def _can_train(part: Accelerator, workload: Workload, where: str) -> bool:
    """Whether memory, bandwidth and a sixteen-bit rate are known; for a part that was named, anything missing is an error."""
    missing = [
        what
        for what, known in (("memory", part.memory), ("memory bandwidth", part.memory_bandwidth), ("compute", part.compute))
        if not known
    ]
    named = workload.accelerators is not None and (workload.accelerators.only or workload.accelerators.owned)
    if missing and named:
        raise DocumentError(
            f"the {missing[0]} of {part.name} is not known, so no training can be planned on it",
            where=f"{where}.accelerators",
            hint="add it to an entry of your own (--knowledge), or name another accelerator",
        )
    return not missing and part.kind not in ("cpu", "edge")


def _counts(workload: Workload, library: Library, host: Host, run: Run) -> tuple[int, ...]:
    """How many accelerators to look at: those owned, up to the most allowed, else powers of two and whole servers."""
    wish = workload.accelerators
    owned = sum(
        int(each.count) for each in (wish.owned if wish else ()) if library.find(Accelerator, each.id).id == host.accelerator.id
    )
    most = int(wish.max_count) if wish and wish.max_count else None
    if owned:
        most = min(owned, most or owned)
    # Nobody splits a step into less than one sequence for each replica.
    largest = run.global_batch * _ranks_of_a_replica(run)
    usual = {count for count in _COUNTS if count <= largest}
    servers = {host.per_node * number for number in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)}
    counts = usual | {count for count in servers if count <= largest}
    if most is not None:
        counts = {count for count in counts if count <= most} | {most}
    return tuple(sorted(counts))


def _ranks_of_a_replica(run: Run) -> int:
    stack = run.stack
    return max(stack.tensor_parallel) * max(stack.pipeline_parallel) * max(stack.context_parallel)


def _facts(
    library: Library, document: Document, model: Model, host: Host, run: Run, made: Layouts, sheet: FactSheet
) -> Mapping[str, Any]:
    """All facts of the layouts on one host: the model's, the run's, the layouts', the part's, and those of feeding it."""
    columns = made.columns
    site = document.site
    setup = TrainingSetup(
        model=model,
        accelerator=host.accelerator,
        accelerators_per_node=host.per_node,
        inter_node_bandwidth=site.network / host.per_node if site and site.network else 0.0,
        sequence_length=float(run.sequence_length),
        training_stack=run.software,
        training_precision=run.precision,
        method=run.method,
        adapters=run.adapter != "none",
        base_format=_base_word(run),
        loss_kernel=run.loss_kernel,
    )
    settings = TrainingSettings(
        method=_memory_method(run),
        adapter=run.adapter,
        training_stack=run.software,
        optimizer=run.optimizer,
        state_precision=run.state_precision,
        attention_kernel=run.attention_kernel,
        loss_kernel=run.loss_kernel,
        optimizer_offload="cpu" if run.offload in ("optimizer", "all") else "none",
        parameter_offload="cpu" if run.offload in ("parameters", "all") else "none",
        sequence_length=float(run.sequence_length),
        lora_rank=float(run.lora_rank),
        weight_bits=run.base_bits,
        kbit_prepared=1.0 if run.base_format in ("nf4", "bnb-nf4") else 0.0,
        accelerators_per_node=float(host.per_node),
        **{name: columns[name] for name in _MEMORY_LAYOUT},
    )
    memory = training_columns(model, settings, host.reported_memory)
    speed = speed_facts(setup, {name: columns[name] for name in _LAYOUT})
    facts = {**speed, **memory, "accelerators_per_replica": columns["accelerators_per_replica"]}
    if not (site and site.network):
        usual = library.get(Efficiency, "usual_inter_node_bandwidth")
        level = usual.values.get(str(facts["accelerator_class"]), usual.otherwise)
        assert level is not None
        facts["inter_node_bandwidth"] = level.typical
    facts |= {
        "reported_memory": host.reported_memory,
        "dataset_tokens": sheet.number("dataset_tokens"),
        "epochs": sheet.number("epochs"),
        "counts_items": 0.0,
        "cluster_maturity": "unknown",
        "checkpoint_mode": "asynchronous",
        "pue": float(site.pue) if site and site.pue else 1.0,
    }
    return facts


def _base_word(run: Run) -> str:
    """How the frozen weights are multiplied, in the words of the speed constants."""
    if run.base_format is None or run.adapter == "none":
        return "none"
    return "gptq" if run.base_format.startswith(("gptq", "awq", "int4")) else "bnb"


def _memory_method(run: Run) -> str:
    # Methods that hold what another one holds: a reference beside the model, a group of answers, or nothing more.
    alike = {"reward-model": "reward", "kto": "dpo", "rloo": "grpo", "distillation": "dpo"}
    return alike.get(run.method, run.method if run.method in ("dpo", "ppo", "grpo") else "full")


def _limits(workload: Workload, run: Run) -> tuple[Limit, ...]:
    most = workload.accelerators.max_count if workload.accelerators else None
    limits = [
        within(
            DEADLINE,
            "it takes longer than it may",
            "more or faster accelerators, less data, or a later date",
            "time_to_train",
            run.finish_within,
            "second",
        )
    ]
    if most is not None:
        says = f"it takes more than the {most:g} accelerators allowed"
        limits.insert(0, within("accelerators allowed", says, "allow more accelerators", "accelerators", most))
    return tuple(limits)
