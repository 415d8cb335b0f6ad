"""What a training workload says, as facts on its sheet, and what of the run it leaves open, with the reason for what is taken."""

from dataclasses import dataclass, replace

from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.errors import DocumentError
from advisor.library import Library
from advisor.plan.sheet import FactSheet
from advisor.sizing.training.layouts import STACKS, Stack
from advisor.units import parse
from advisor.workload.document import Workload
from advisor.workload.engine_settings import EngineSettings

_ADAPTERS = {"lora": "lora", "qlora": "qlora"}
# Methods that other models or their copies take part in; what they hold beside the trained one is counted by the memory formulas.
_PREFERENCE = ("dpo", "orpo", "kto", "ppo", "grpo", "rloo", "reward-model", "distillation")
# Words for software, to the stack whose layouts it makes and the name its constants go by.
_SOFTWARE = {
    "megatron": ("megatron", "megatron"),
    "megatron-lm": ("megatron", "megatron"),
    "megatron-core": ("megatron", "megatron"),
    "megatron-bridge": ("megatron", "megatron"),
    "nemo": ("megatron", "nemo"),
    "fsdp": ("fsdp", "torchtitan"),
    "fsdp2": ("fsdp", "torchtitan"),
    "torchtitan": ("fsdp", "torchtitan"),
    "torchtune": ("transformers", "torchtune"),
    "deepspeed": ("transformers", "deepspeed"),
    "transformers": ("transformers", "transformers"),
    "hf-trainer": ("transformers", "transformers"),
    "trl": ("transformers", "trl"),
    "axolotl": ("transformers", "axolotl"),
    "llama-factory": ("transformers", "llama-factory"),
    "llamafactory": ("transformers", "llama-factory"),
    "ms-swift": ("transformers", "ms-swift"),
    "unsloth": ("transformers", "unsloth"),
}
_SHARDING = {"none": 0, "zero-1": 1, "zero-2": 2, "zero-3": 3, "fsdp": 3, "fsdp-grad-op": 2}
_TOKENS_PER_PARAMETER = 20.0
_PRETRAINING_BATCH = 4e6
_QLORA_BITS = 4.0
_PRETRAINING_TIME = parse("30 days", "second")


@dataclass(frozen=True)
class Run:
    """A training run as far as it is settled before the search: what is trained on what, by which software.

    stack: what its layouts are made of; software: its name. adapter: none, lora, qlora. base_format: number format of frozen
    weights, none where all are trained. tokens: to be trained on altogether. asked: layout settings that were stated.
    deadline_stated: whether finish_within is the person's.
    """

    kind: str
    method: str
    adapter: str
    software: str
    stack: Stack
    precision: str
    optimizer: str
    base_format: str | None
    base_bits: float
    sequence_length: int
    global_batch: int
    tokens: float
    finish_within: float
    deadline_stated: bool
    lora_rank: int
    offload: str
    attention_kernel: str
    loss_kernel: str
    asked: dict[str, int | str]
    state_precision: str = "mixed"

    def without_deadline(self) -> "Run":
        """The same run, however long it takes."""
        return replace(self, finish_within=float("inf"))


def take_run(sheet: FactSheet, workload: Workload, model: Model, library: Library, where: str) -> Run:
    """The run of a workload. Raises DocumentError and UnknownNameError for what no software trains as asked."""
    pretraining = workload.kind == "pretraining"
    settings = workload.engine_settings or EngineSettings()
    method = "full" if pretraining else str(sheet.take("method", _method(workload)))
    if pretraining:
        sheet.answer("method", method)
    adapter = _ADAPTERS.get(method, "lora" if method in _PREFERENCE and settings.lora_rank else "none")
    software, stack = _software(sheet, workload, adapter, pretraining, where)
    length = _sequence(sheet, workload, model, where)
    batch = _batch(sheet, workload, length, pretraining)
    tokens = _tokens(sheet, workload, model, pretraining)
    stated = workload.finish_within or (workload.targets.finish_within if workload.targets else None)
    if stated is None and pretraining:
        sheet.assume(
            "finish_within", _PRETRAINING_TIME, "second", because="a month; the cheapest configuration that does it is taken"
        )
    else:
        sheet.take("finish_within", stated, "second")
    form, bits = _base(sheet, workload, method, library, where)
    return Run(
        kind=workload.kind,
        method=method,
        adapter=adapter,
        software=software,
        stack=stack,
        precision=_precision(sheet, workload, adapter, library, where),
        optimizer=str(_or_assumed(sheet, "optimizer", settings.optimizer, "adamw", "what nearly all runs use")),
        base_format=form,
        base_bits=bits,
        sequence_length=length,
        global_batch=batch,
        tokens=tokens,
        finish_within=sheet.number("finish_within"),
        deadline_stated=stated is not None,
        lora_rank=int(settings.lora_rank or 16),
        offload=settings.offload or "none",
        attention_kernel="flash",
        loss_kernel="fused" if stack.id == "megatron" else "plain",
        asked=_asked(settings),
    )


def _method(workload: Workload) -> str | None:
    return "full" if workload.method == "pretraining" else workload.method


def _software(sheet: FactSheet, workload: Workload, adapter: str, pretraining: bool, where: str) -> tuple[str, Stack]:
    if workload.engine is None:
        usual = "megatron" if pretraining else "transformers"
        because = (
            "what most large pre-training runs use"
            if pretraining
            else "the trainer that most fine-tuning tools build on, with FSDP or ZeRO for sharding"
        )
        sheet.assume("training_software", usual, because=because)
        return usual, STACKS[usual]
    key = workload.engine.strip().casefold().replace(" ", "-").replace("_", "-")
    found = _SOFTWARE.get(key)
    if found is None:
        from advisor.catalogue.names import nearest

        close = nearest(key, _SOFTWARE)
        raise DocumentError(
            f'"{workload.engine}" is no training software known here',
            where=f"{where}.engine",
            hint=f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(_SOFTWARE))}",
        )
    sheet.answer("training_software", found[1])
    return found[1], STACKS[found[0]]


def _sequence(sheet: FactSheet, workload: Workload, model: Model, where: str) -> int:
    given = workload.sequence_length
    if given is None and workload.dataset is not None and workload.dataset.tokens_per_sample is not None:
        given = None
        sheet.derive(
            "sequence_length", float(workload.dataset.tokens_per_sample), "token", because="tokens of one sample, not packed"
        )
    elif given is None and model.context is not None and model.context < 4096:
        sheet.assume("sequence_length", float(model.context), "token", because="the longest the model was made for")
    else:
        sheet.take("sequence_length", float(given) if given is not None else None, "token")
    length = sheet.number("sequence_length")
    if given is not None and model.context is not None and length > model.context and workload.kind == "fine-tuning":
        sheet.derive("beyond_context", True, because=f"{model.name} was made for {model.context:,} tokens")
    return int(length)


def _batch(sheet: FactSheet, workload: Workload, length: int, pretraining: bool) -> int:
    if workload.batch is None and pretraining:
        # A power of two divides over any usual count of accelerators.
        wanted = max(1.0, _PRETRAINING_BATCH / length)
        batch = 2.0 ** round(float(_log2(wanted)))
        sheet.assume("global_batch", batch, "1", because="about four million tokens a step, as the Llama models take")
        return int(batch)
    return int(float(sheet.take("global_batch", float(workload.batch) if workload.batch else None, "1")))


def _log2(value: float) -> float:
    from math import log2

    return log2(value)


def _tokens(sheet: FactSheet, workload: Workload, model: Model, pretraining: bool) -> float:
    """Tokens trained on altogether: those of the data times the passes over it."""
    given = workload.dataset.all_tokens if workload.dataset else None
    if given is None and workload.dataset is not None and workload.dataset.samples is not None:
        given = workload.dataset.samples * sheet.number("sequence_length")
        sheet.derive("dataset_tokens", given, "token", because="samples of the sequence length each")
    elif given is None and pretraining:
        sheet.assume(
            "dataset_tokens",
            _TOKENS_PER_PARAMETER * model.parameters.total,
            "token",
            because="twenty for each parameter, the compute-optimal share of Hoffmann et al. 2022; models to be served get more",
        )
    else:
        sheet.take("dataset_tokens", given, "token")
    if workload.epochs is None and pretraining:
        sheet.assume("epochs", 1.0, "1", because="pre-training reads its data once")
    else:
        sheet.take("epochs", workload.epochs, "1")
    return float(
        sheet.derive(
            "training_tokens",
            sheet.number("dataset_tokens") * sheet.number("epochs"),
            "token",
            because="tokens of the data times the passes over it",
        )
    )


def _precision(sheet: FactSheet, workload: Workload, adapter: str, library: Library, where: str) -> str:
    """The arithmetic; a format of few bits that is asked for with adapters is that of the frozen weights."""
    if workload.precision is None:
        sheet.assume("training_precision", "bf16", because="what nearly all runs compute in")
        return "bf16"
    form = library.find(Format, workload.precision, where=f"{where}.precision")
    if adapter != "none" and form.bits < 16:
        sheet.assume("training_precision", "bf16", because="adapters compute in 16 bit, whatever the frozen weights are kept in")
        return "bf16"
    word = "fp8" if form.compute == "fp8" else "fp4" if form.compute == "fp4" else form.id
    if form.bits > 16:
        word = "fp32"
    return str(sheet.answer("training_precision", word))


def _base(sheet: FactSheet, workload: Workload, method: str, library: Library, where: str) -> tuple[str | None, float]:
    """Format and bits of frozen weights under adapters; none and 0 where they stay at 16 bit or are trained."""
    stated = library.find(Format, workload.precision, where=f"{where}.precision") if workload.precision else None
    if method == "qlora":
        if stated is not None and stated.bits < 16:
            sheet.answer("base_format", stated.id)
            return stated.id, float(stated.bits)
        sheet.assume("base_format", "nf4", because="the four-bit format that QLoRA was made with")
        return "nf4", _QLORA_BITS
    if method == "lora" and stated is not None and stated.bits < 16:
        sheet.answer("base_format", stated.id)
        return stated.id, float(stated.bits)
    return None, 0.0


def _or_assumed(sheet: FactSheet, name: str, given: str | None, usual: str, because: str) -> str:
    return str(sheet.answer(name, given) if given is not None else sheet.assume(name, usual, because=because))


def _asked(settings: EngineSettings) -> dict[str, int | str]:
    """Layout settings that were stated, by fact."""
    named: dict[str, int | str | None] = {
        "tensor_parallel": settings.tensor_parallel,
        "pipeline_parallel": settings.pipeline_parallel,
        "context_parallel": settings.context_parallel,
        "expert_parallel": settings.expert_parallel,
        "micro_batch": settings.micro_batch,
        "zero_stage": _SHARDING[settings.sharding] if settings.sharding else None,
        "recomputation": settings.activation_checkpointing,
    }
    return {name: value for name, value in named.items() if value is not None}
