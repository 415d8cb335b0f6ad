"""What a plan leaves out: inputs without a part in its sizes, and what a kind would need beside what is sized."""

from collections.abc import Iterator

from pydantic import BaseModel

from advisor.catalogue.model import Model
from advisor.library import Library
from advisor.plan.environment.prices import unknown_prices
from advisor.plan.speed import generates
from advisor.workload.document import Document, Workload

# Fields of a workload, and of its parts, that sizes rest on; what else is stated is named as left out.
_USED = frozenset(
    {
        *("name", "kind", "preset", "environment", "model", "precision", "kv_precision", "engine", "engine_version"),
        *(
            "engine_settings",
            "traffic",
            "input_tokens",
            "output_tokens",
            "calls_per_request",
            "targets",
            "accelerators",
            *("components", "shared_prefix_tokens", "dataset", "finish_within", "data"),
        ),
    }
)
_USED_TARGETS = frozenset(
    {
        *(f"{time}_{statistic}" for time in ("ttft", "tpot", "latency") for statistic in ("mean", "p50", "p90", "p95", "p99")),
        *("requests_per_second", "output_tokens_per_second", "availability", "cost_per_million_tokens", "cost_per_run"),
    }
)
_USED_TRAFFIC = frozenset(
    {
        *("people", "active_share", "requests_per_active_person_per_hour", "concurrent_requests", "requests_per_second"),
        *("peak_to_mean", "growth_per_year", "trace"),
    }
)
_USED_SETTINGS = frozenset(
    {
        *("gpu_memory_utilization", "mem_fraction_static", "free_gpu_memory_fraction", "cache_max_entry_count"),
        *("max_num_seqs", "parallel_slots", "max_num_batched_tokens", "max_model_len", "context", "block_size"),
        *(
            "enforce_eager",
            "sampler",
            "chunked_prefill",
            "prefix_caching",
            "speculative_tokens",
            "disaggregated",
            "tensor_parallel",
            "pipeline_parallel",
        ),
    }
)
_USED_DATA = frozenset(
    {
        *("size", "documents", "tokens", "chunk_tokens", "chunk_overlap", "vector_width", "copies"),
        *("residency", "sensitivity", "retention", "log_retention", "prompts_logged"),
    }
)
_USED_SITE = frozenset(
    {
        *("deployment", "electricity", "pue", "power", "rack_power", "racks", "rack_units", "circuit", "redundant_feeds"),
        *("cooling", "network", "internet", "storage"),
    }
)
_USED_BUDGET = frozenset(
    {
        *("currency", "exchange_rates", "exchange_rates_as_of", "term", "purchase_limit", "monthly_limit", "yearly_limit"),
        *("discount_rate", "residual_value", "staff", "salary", "maintenance_share", "prices"),
    }
)
_KINDS = {
    "rag": "the time of the vector search, and reading and cutting the documents",
    "agent": "the time of tools: an agent's model calls are sized at their mean length, what prompts repeat found in the cache",
}


def not_covered(workload: Workload, model: Model) -> Iterator[str]:
    """Sentences about one workload: stated fields without a part in its sizes, then what its kind or model would need."""
    stated = [
        *_stated(workload, _USED, ""),
        *_stated(workload.targets, _USED_TARGETS, "targets."),
        *_stated(workload.traffic, _USED_TRAFFIC, "traffic."),
        *_stated(workload.engine_settings, _USED_SETTINGS, "engine_settings."),
        *_stated(workload.data, _USED_DATA, "data."),
    ]
    if stated:
        yield f"stated, and without a part in the sizes: {', '.join(stated)}"
    if (says := _KINDS.get(workload.kind)) is not None:
        yield says
    if not generates(model):
        yield f"speed and working memory of {model.name}: it does not write token by token; its weights alone are sized"


def not_covered_of_site(document: Document, library: Library) -> Iterator[str]:
    """The same for what all workloads share."""
    stated = [*_stated(document.site, _USED_SITE, "site."), *_stated(document.budget, _USED_BUDGET, "budget.")]
    if document.budget is not None:
        stated += [f"budget.prices.{key}" for key in unknown_prices(library, document.budget)]
    if document.estate is not None:
        stated.append("estate")
    if stated:
        yield f"stated, and without a part in the sizes: {', '.join(stated)}"


def _stated(record: BaseModel | None, used: frozenset[str], prefix: str) -> Iterator[str]:
    if record is None:
        return
    for name in type(record).model_fields:
        if name in record.model_fields_set and name not in used and getattr(record, name) not in (None, (), {}):
            yield f"{prefix}{name}"
