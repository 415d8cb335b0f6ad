"""Running it day by day: metrics with thresholds of this plan, the load test that verifies it, versions, and the next look."""

import shlex
from collections.abc import Iterator
from datetime import date, timedelta
from math import ceil, log

from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.setting import Setting
from advisor.plan.environment_records import OperationsReport, TestCommand, Watched
from advisor.units import number, show_base

_STARTING_POINT = "a starting point by judgement"
_VLLM = "vllm-metrics-source"
_DCGM = "dcgm-exporter-counters"
_YEAR_DAYS = 365.0
_TEST_TIME = 600.0


def operations_report(g: Gathered, s: Setting) -> OperationsReport:
    """What to watch and what to try, with this plan's own figures."""
    g.constants("review_interval")
    review, because = _review(g, s)
    figures = {name: g.quantity(name) for name in ("model_load_time",) if name in g.values}
    return OperationsReport(
        metrics=tuple(_metrics(g, s)),
        tests=tuple(_tests(s)),
        versions=tuple(_versions(g, s)),
        next_review=review,
        review_because=because,
        figures=figures,
        notes=tuple(_notes(s)),
    )


def _metrics(g: Gathered, s: Setting) -> Iterator[Watched]:
    if s.chosen.engine == "vllm" and not s.runs and s.output_tokens:
        yield from _engine(s)
    if s.part.vendor.casefold() == "nvidia":
        yield from _accelerators(s)
    yield Watched(
        metric="node_memory_MemAvailable_bytes",
        when="below",
        value=0.1 * (g.number("host_memory_planned") if "host_memory_planned" in g.values else g.number("host_memory_floor")),
        unit="byte",
        act="find what grew; the kernel kills processes next (node_vmstat_oom_kill)",
        basis="a tenth of the host memory planned",
    )
    if s.runs:
        yield Watched(
            metric="node_disk_io_time_seconds_total, rate",
            when="above",
            value=0.9,
            unit="1",
            act="stage the data on local drives, or use larger shards",
            basis=_STARTING_POINT,
        )


def _engine(s: Setting) -> Iterator[Watched]:
    running = s.plan.running
    estimates = s.chosen.estimates
    if running is not None and "queue_limit" in running.figures:
        yield Watched(
            metric="vllm:num_requests_waiting",
            when="for a minute above",
            value=running.figures["queue_limit"].value,
            unit="request",
            act="start another replica; beyond it refuse at once",
            basis=f"the longest queue that keeps the first token in time [{_VLLM}]",
        )
    if "concurrency_capacity" in estimates:
        yield Watched(
            metric="vllm:num_requests_running",
            when="at",
            value=estimates["concurrency_capacity"].value,
            unit="request",
            act="the replica is full: what comes now waits",
            basis=f"what one replica holds at once [{_VLLM}]",
        )
    yield Watched(
        metric="vllm:kv_cache_usage_perc",
        when="for a minute above",
        value=0.85,
        unit="1",
        act="start another replica, shorten contexts, or an 8-bit cache",
        basis=_STARTING_POINT,
    )
    yield Watched(
        metric="vllm:num_preemptions_total, rate",
        when="above",
        value=0.0,
        unit="1/second",
        act="lower max_num_seqs or add memory: requests are computed twice",
        basis=f"none is planned for [{_VLLM}]",
    )
    for quantity, metric in (
        ("time_to_first_token_p95", "vllm:time_to_first_token_seconds, P95"),
        ("time_per_output_token_p95", "vllm:time_per_output_token_seconds, P95"),
        ("request_latency_p95", "vllm:e2e_request_latency_seconds, P95"),
    ):
        figure = estimates.get(quantity)
        if figure is not None:
            most = figure.high if figure.high is not None else figure.value
            yield Watched(
                metric=metric,
                when="for five minutes above",
                value=most,
                unit="second",
                act="look at waiting and cache use first; then the load is not the planned one, or the estimate was wrong",
                basis=f"upper end of this plan's estimate of {show_base(figure.value, 'second')}",
            )


def _accelerators(s: Setting) -> Iterator[Watched]:
    yield Watched(
        metric="DCGM_FI_DEV_XID_ERRORS",
        when="not",
        value=0.0,
        unit="1",
        act="drain the server and look at the error's number",
        basis=f"no error is normal [{_DCGM}]",
    )
    if s.part.power is not None:
        yield Watched(
            metric="DCGM_FI_DEV_POWER_USAGE",
            when="for long at",
            value=s.part.power,
            unit="watt",
            act="with DCGM_FI_DEV_SM_CLOCK falling it is held back by power or heat",
            basis=f"design power of {s.part.name}",
        )
    memory = s.chosen.estimates.get("training_memory")
    if memory is not None:
        yield Watched(
            metric="DCGM_FI_DEV_FB_USED",
            when="above",
            value=memory.high if memory.high is not None else memory.value,
            unit="byte",
            act="longer samples or a larger batch than planned; the next step may run out of memory (the counter is in MiB)",
            basis="upper end of this plan's estimate for one accelerator",
        )


def _tests(s: Setting) -> Iterator[TestCommand]:
    if s.runs:
        every = str(s.per_node)
        yield _command(
            "nccl-tests",
            ("all_reduce_perf", "-b", "8M", "-e", "8G", "-f", "2", "-g", every),
            "the links between the accelerators of one server, before the first run",
        )
        yield _command("DCGM", ("dcgmi", "diag", "-r", "3"), "that every accelerator is sound, before the first run")
        return
    model = s.workload.model
    if s.chosen.engine not in ("vllm", "sglang", "tensorrt-llm", "lmdeploy") or not s.output_tokens or not isinstance(model, str):
        return
    rate = s.calls
    at_once = (
        ceil(s.chosen.estimates["concurrency_capacity"].value * s.replicas) if "concurrency_capacity" in s.chosen.estimates else 0
    )
    prompts = max(200, ceil(rate * _TEST_TIME))
    yield _command(
        "vLLM",
        (
            *("vllm", "bench", "serve", "--base-url", "http://localhost:8000", "--model", s.plan.model.name),
            *("--dataset-name", "random", "--random-input-len", f"{s.input_tokens:.0f}"),
            *("--random-output-len", f"{s.output_tokens:.0f}", "--request-rate", f"{rate:.4g}"),
            *("--num-prompts", str(prompts), "--percentile-metrics", "ttft,tpot,e2el", "--metric-percentiles", "50,95,99"),
            *(("--goodput", *_goodput(s)) if _goodput(s) else ()),
        ),
        f"latencies at the peak of {number(rate)} calls a second, all replicas behind one address",
    )
    yield _command(
        "GuideLLM",
        (
            *("guidellm", "benchmark", "--target", "http://localhost:8000", "--rate-type", "sweep"),
            *("--max-seconds", "120", "--data", f"prompt_tokens={s.input_tokens:.0f},output_tokens={s.output_tokens:.0f}"),
        ),
        f"the load at which latency turns up; this plan expects room for {at_once} requests at once",
    )


def _goodput(s: Setting) -> tuple[str, ...]:
    targets = s.workload.targets
    found = []
    for name, stated in (
        ("ttft", (targets.ttft_mean or targets.ttft_p95) if targets else None),
        ("tpot", (targets.tpot_mean or targets.tpot_p95) if targets else None),
    ):
        if stated is not None:
            found.append(f"{name}:{1000 * stated:.0f}")
    return tuple(found)


def _command(tool: str, arguments: tuple[str, ...], verifies: str) -> TestCommand:
    return TestCommand(tool=tool, line=shlex.join(arguments), verifies=verifies)


def _versions(g: Gathered, s: Setting) -> Iterator[str]:
    kept = g.number("model_versions") if "model_versions" in g.values else 3.0
    yield (
        f"Pin the model to a revision, the engine to {s.chosen.engine} {s.chosen.engine_version}".rstrip()
        + f", and its image to a digest; keep {kept:g} versions of the model."
    )
    load = g.number("model_load_time") if "model_load_time" in g.values else 0.0
    if s.runs:
        yield "Keep with every checkpoint the commit of the code, the data set's version, the seed and the launch settings."
    elif s.provisioned > 1:
        yield (
            f"Roll out one replica of {s.provisioned} at a time, and hold it against the load test before the next; going back "
            f"loads the version before in {show_base(load, 'second')}, then warms up."
        )
    else:
        yield (
            f"With one replica every release is an outage of at least {show_base(load, 'second')} of loading and the warm-up, "
            "unless a second one stands for that hour."
        )


def _review(g: Gathered, s: Setting) -> tuple[date, str]:
    days = g.number("review_interval") / 86400
    because = f"{days:.0f} days on: prices, engines and models change"
    traffic = s.workload.traffic
    growth = traffic.growth_per_year if traffic is not None else None
    running = s.plan.running
    full = running.figures.get("peak_utilisation") if running is not None else None
    if growth and full is not None and 0 < full.value < 1:
        until = log(1 / full.value) / log(1 + growth) * _YEAR_DAYS
        if until < days:
            days = max(1.0, until)
            because = f"the peak fills the replicas then, at {100 * growth:g} % growth a year"
    return s.today + timedelta(days=int(days)), because


def _notes(s: Setting) -> Iterator[str]:
    if s.runs:
        yield "A run that loses more than a tenth of its time to restarts needs other servers, not more checkpoints."
        return
    if s.chosen.engine != "vllm":
        yield f"Metrics of {s.chosen.engine} carry its own names; those of accelerators and servers are the same."
    if s.part.vendor.casefold() != "nvidia":
        yield f"Counters of {s.part.vendor} accelerators come from their own exporter."
    if s.calls:
        yield "Test before signing or going live, with real requests: random ones find nothing in the prefix cache."
