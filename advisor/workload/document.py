"""The workload document: what a person wants to run, where, and for how much. Nothing is filled in here.

Names of models and accelerators are kept as written; the plan looks them up.
"""

from datetime import date
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, model_validator

from advisor.catalogue.record import Record
from advisor.workload.accelerator_wish import AcceleratorWish
from advisor.workload.budget import Budget
from advisor.workload.data import Data, Dataset
from advisor.workload.engine_settings import EngineSettings
from advisor.workload.estate import Estate
from advisor.workload.length import Length
from advisor.workload.model_wish import Component, ModelWish
from advisor.workload.quantities import ContextTokens, Period, Quantity
from advisor.workload.refusal import refusal
from advisor.workload.rule_settings import RuleSettings
from advisor.workload.site import Site
from advisor.workload.targets import Targets
from advisor.workload.traffic import Traffic
from advisor.workload.words import Choice, Day, EngineName, FormatName, Name, Version, none_or_many

MOST_WORKLOADS = 2000

Kind = Literal["pretraining", "fine-tuning", "evaluation", "batch-inference", "realtime-inference", "rag", "agent"]
Environment = Literal["development", "training", "evaluation", "production"]
Method = Literal[
    "full", "lora", "qlora", "freeze", "dpo", "orpo", "kto", "ppo", "grpo", "rloo", "reward-model", "distillation", "pretraining"
]
Calls = Annotated[float, Quantity("1", 1e-3, 1e5, "no request calls a model so often", "4")]
Epochs = Annotated[float, Quantity("1", 1e-3, 1e5, "no run reads its data so often", "3")]
Batch = Annotated[int, Quantity("1", 1, 1e8, "no step is so large", "64", whole=True)]
RunsPerMonth = Annotated[float, Quantity("1", 1e-3, 1e6, "no team starts more", "4")]

_KIND = Choice(
    get_args(Kind),
    (
        ("pre-training", "pretraining"),
        ("finetuning", "fine-tuning"),
        ("fine-tune", "fine-tuning"),
        ("real-time-inference", "realtime-inference"),
        ("batch", "batch-inference"),
        ("realtime", "realtime-inference"),
        ("agents", "agent"),
    ),
)
_ENVIRONMENT = Choice(get_args(Environment), (("dev", "development"), ("prod", "production")))
_METHOD = Choice(get_args(Method), (("full-fine-tuning", "full"), ("pretrain", "pretraining")))


class Workload(Record):
    """One thing to run.

    preset: a use case of the catalogue, such as chat assistant, whose lengths, behaviour and targets are taken where none are
    stated. environment: follows from the kind where it is left out. components: the models of a kind with several. precision,
    kv_precision: number formats of weights and cache; the checkpoint's own where left out. calls_per_request: model calls that
    one request makes. shared_prefix_tokens: tokens that all requests begin with. method to runs_per_month: for training and
    evaluation; batch is sequences per optimizer step, over all accelerators.
    """

    name: Name | None = None
    kind: Annotated[Kind, _KIND] = Field(description=f"one of: {', '.join(get_args(Kind))}")
    preset: Name | None = None
    environment: Annotated[Environment, _ENVIRONMENT] | None = None
    model: ModelWish = Field(
        description="a catalogue id, hub id or path of a config.json, such as model: llama-3.1-8b, "
        "or model: {parameters: 13B} for one not yet chosen"
    )
    components: Annotated[tuple[Component, ...], BeforeValidator(none_or_many)] = ()
    precision: FormatName | None = None
    kv_precision: FormatName | None = None
    engine: EngineName | None = None
    engine_version: Version | None = None
    engine_settings: EngineSettings | None = None
    traffic: Traffic | None = None
    input_tokens: Length | None = None
    output_tokens: Length | None = None
    calls_per_request: Calls | None = None
    shared_prefix_tokens: ContextTokens | None = None
    targets: Targets | None = None
    method: Annotated[Method, _METHOD] | None = None
    dataset: Dataset | None = None
    epochs: Epochs | None = None
    sequence_length: ContextTokens | None = None
    batch: Batch | None = None
    finish_within: Period | None = None
    runs_per_month: RunsPerMonth | None = None
    accelerators: AcceleratorWish | None = None
    data: Data | None = None

    @model_validator(mode="after")
    def _consistent(self) -> "Workload":
        if self.input_tokens is not None and self.input_tokens.typical < 1:
            raise refusal("a request holds at least one token", hint="write for example 4k", field="input_tokens")
        if self.shared_prefix_tokens is not None and self.input_tokens is not None:
            longest = max(self.input_tokens.typical, self.input_tokens.long, self.input_tokens.max or 0)
            if self.shared_prefix_tokens > longest:
                raise refusal(
                    f"the shared prefix ({self.shared_prefix_tokens:,.0f} tokens) is longer than the input "
                    f"({longest:,.0f} tokens) it is a part of",
                    hint="input_tokens counts the whole prompt, its shared beginning included",
                    field="shared_prefix_tokens",
                )
        wanted = self.targets.finish_within if self.targets else None
        if self.finish_within is not None and wanted is not None and wanted != self.finish_within:
            raise refusal(
                "finish_within stands here and under targets with another value", hint="keep one of them", field="finish_within"
            )
        return self


def _some_workloads(given: Any) -> Any:
    """Refuses none and too many before any is read."""
    if isinstance(given, list | tuple) and not given:
        raise refusal("the list of workloads is empty", hint="write - kind: … and model: … for each thing to run")
    if isinstance(given, list | tuple) and len(given) > MOST_WORKLOADS:
        raise refusal(
            f"there are {len(given):,} workloads; at most {MOST_WORKLOADS:,} are planned together",
            hint="split them over several documents",
        )
    return given


class Document(Record):
    """Workloads that share a site, a budget and an estate.

    today: the day that prices and terms are reckoned from. rules: which of them are not to be told of, and why.
    """

    name: Name | None = None
    today: Annotated[date, Day()] | None = None
    workloads: Annotated[tuple[Workload, ...], BeforeValidator(_some_workloads)] = Field(
        json_schema_extra={"minItems": 1, "maxItems": MOST_WORKLOADS},
        description="a list with a kind and a model in each: workloads: [{kind: realtime-inference, model: llama-3.1-8b}]",
    )
    site: Site | None = None
    budget: Budget | None = None
    estate: Estate | None = None
    rules: RuleSettings | None = None

    @model_validator(mode="after")
    def _names_are_unique(self) -> "Document":
        seen: set[str] = set()
        for position, workload in enumerate(self.workloads):
            if workload.name is not None and workload.name.casefold() in seen:
                raise refusal(
                    f'two workloads are called "{workload.name}"',
                    hint="give each its own name",
                    field=("workloads", position, "name"),
                )
            if workload.name is not None:
                seen.add(workload.name.casefold())
        for position, project in enumerate(self.estate.projects if self.estate else ()):
            for name in project.workloads:
                if name.casefold() not in seen:
                    raise refusal(
                        f'project "{project.name}" names the workload "{name}", which is not in the document',
                        field=("estate", "projects", position, "workloads"),
                    )
        return self
