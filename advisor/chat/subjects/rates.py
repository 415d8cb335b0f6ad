"""Rates seen against rates possible: decoding on processors, loading, work piles, exchange of gradients, share of the peak."""

import re

from advisor.catalogue.accelerator import Accelerator
from advisor.chat.records import Part
from advisor.chat.situation import Situation
from advisor.chat.telling import Telling
from advisor.chat.working import constant
from advisor.units import parse

_WEIGHED = re.compile(r"(\d+(?:\.\d+)?)\s?([gt]i?b)\s(?:\w+\s){0,3}(?:model|weights|checkpoint)")
_DDR = re.compile(r"ddr[345][ -]?(\d{4})")
# A load that takes less than this is no complaint.
_SLOW_LOAD = 30.0
# One stream usually reaches more than this share of the bound.
_FAR_BELOW = 0.35
_GIGABIT = 125e6
_HALF = 16.0


def processor_decoding(situation: Situation) -> Part | None:
    """The bound that memory bandwidth sets to decoding on a processor."""
    if not situation.seen.get("on_cpu") or not situation.parameters:
        return None
    telling = Telling(situation)
    bits = situation.format.bits if situation.format is not None else _HALF
    telling.words["bits"] = f"{bits:g}"
    for key, at in (("", bits), ("_half", min(bits, _HALF) if bits > _HALF else bits / 2)):
        facts = {"parameters": situation.parameters, "weight_bits": at}
        weights = telling.work(f"weights{key}", "plain_weights", f"weights at {at:g} bit", facts)
        bandwidth = situation.number("memory_bandwidth") or _of_channels(telling)
        if bandwidth:
            telling.words["bandwidth"] = f"{bandwidth / 1e9:.4g} GB/s"
            telling.words[f"bits{key}"] = f"{at:g}"
            telling.work(
                f"bound{key}",
                "processor_decode_bound",
                f"most tokens a second at {at:g} bit",
                {"processor_bandwidth": bandwidth, "active_weights": weights.value},
            )
    return telling.told("processor-decoding", verdict="works-badly")


def _first(situation: Situation, *facts: str) -> float | None:
    return next((value for fact in facts if (value := situation.number(fact)) is not None), None)


def _of_channels(telling: Telling) -> float | None:
    """Peak bandwidth of one socket from its channels and memory, where both were said."""
    channels, memory = telling.situation.number("memory_channels"), _DDR.search(telling.situation.text)
    if channels is None or memory is None:
        setup = telling.situation.setup
        part = setup.part if setup is not None else None
        return part.memory_bandwidth if part is not None and part.kind == "cpu" else None
    facts = {"memory_channels": channels, "memory_transfers_per_second": float(memory[1]) * 1e6}
    return telling.work("socket", "socket_memory_bandwidth", "memory bandwidth of one socket", facts).value


def loading(situation: Situation) -> Part | None:
    """How fast weights were read, and how long a local drive would take."""
    loads = "load" in situation.text or "cold start" in situation.text
    size, time = situation.number("model_size"), situation.number("load_time")
    if loads and not situation.trains:
        said = _WEIGHED.search(situation.text)
        size = size or (parse(f"{said[1]} {said[2].upper().replace('I', 'i')}", "byte") if said else None)
        size = size or _first(situation, "data_size", "memory_used", "storage_size", "dataset_size", "accelerator_memory")
        time = time or _first(situation, "duration", "finish_within", "ttft_mean", "latency_mean")
    if size is None or time is None or time < _SLOW_LOAD:
        return None
    telling = Telling(situation)
    telling.words["size"] = f"{size / 1e9:,.4g} GB"
    telling.work("read_rate", "effective_read_rate", "rate reached while loading", {"read_bytes": size, "read_time": time})
    local = situation.number("storage_throughput")
    if local is not None:
        telling.words["local_rate"] = f"{local / 1e9:.4g} GB/s"
        facts = {"model_file_bytes": size, "load_bandwidth": local, "load_method": "read"}
        telling.work("local_time", "model_load_time", "reading a full copy from the local drives", facts)
    return telling.told("loading", verdict="works-badly")


def piles(situation: Situation) -> Part | None:
    """How fast a pile of chunks is worked through, against what a card that is kept fed does."""
    chunks, time = situation.number("chunks"), situation.number("duration")
    if chunks is None or time is None:
        return None
    telling = Telling(situation)
    telling.work("rate", "observed_item_rate", "chunks a second", {"chunks": chunks, "observed_time": time})
    rate = constant(situation.library, "small_embedder_rate")
    telling.words["possible_rate"] = f"{rate:,.0f}"
    telling.work("possible", "embedding_time", "time at that rate", {"chunks": chunks, "embedding_rate": rate})
    return telling.told("piles")


def gradient_exchange(situation: Situation) -> Part | None:
    """The time that exchanging gradients takes over the network between nodes, against the time of a step."""
    nodes = situation.number("node_count")
    if not nodes or nodes < 2 or not situation.parameters or not situation.has("slow"):
        return None
    telling = Telling(situation)
    ranks = situation.accelerators or nodes
    telling.words["ranks"] = f"{ranks:g}"
    bytes_each = (situation.format.bits if situation.format is not None else _HALF) / 8
    message = telling.work(
        "message", "gradient_message", "gradients of a step", {"parameters": situation.parameters, "gradient_bytes": bytes_each}
    )
    network = situation.number("network")
    telling.facts["network_supposed"] = network is None
    network = network or _GIGABIT
    telling.words["network"] = f"{network * 8 / 1e9:.4g} Gbit/s"
    exchange = telling.work(
        "exchange",
        "ring_all_reduce_time",
        "exchange of the gradients in every step",
        {"ranks": ranks, "message": message.value, "ring_bandwidth": network, "hop_latency": 0.0},
    )
    batch, rate = situation.number("batch"), situation.number("throughput")
    if batch and rate and rate < 1e9:
        facts = {"accelerator_batch_samples": batch, "observed_samples_per_second": rate}
        step = telling.work("step", "observed_step_time", "compute time of a step", facts)
        telling.facts["exchange_longer"] = exchange.value > step.value
    return telling.told("gradient-exchange", verdict="works-badly")


def stream_rate(situation: Situation) -> Part | None:
    """What one stream reaches, against what the memory of the cards allows."""
    reading, setup = situation.reading("throughput"), situation.setup
    rate = situation.number("throughput")
    part = setup.part if setup is not None else None
    if reading is None and (each := situation.number("tpot_mean")) and situation.intent in ("why", "diagnose", None):
        rate = 1 / each
    elif reading is None or reading.unit != "token/second":
        return None
    if rate is None or part is None or part.memory_bandwidth is None:
        return None
    if not situation.parameters or situation.trains or situation.seen.get("on_cpu") or (situation.number("batch") or 1) > 1:
        return None
    telling = Telling(situation)
    bits = situation.format.bits if situation.format is not None else _HALF
    active = (situation.model.parameters.active if situation.model else None) or situation.parameters
    weights = telling.work("read", "plain_weights", "weights read for a token", {"parameters": active, "weight_bits": bits})
    cards = situation.accelerators or 1.0
    facts = {"memory_bandwidth": part.memory_bandwidth * cards, "plain_weights": weights.value}
    bound = telling.work("bound", "one_stream_bound", "most tokens a second of one stream", facts)
    telling.words["rate"] = f"{rate:g} tokens/s"
    telling.facts["far_below"] = rate < _FAR_BELOW * bound.value
    return telling.told("stream-rate", verdict="works-badly" if telling.facts["far_below"] else None)


def peak_share(situation: Situation) -> Part | None:
    """What share of the data sheet's peak was reached."""
    rate = situation.number("throughput")
    reading = situation.reading("throughput")
    part = situation.setup.part if situation.setup else None
    if part is None or (situation.has("slow") is False and rate is None):
        return None
    telling = Telling(situation)
    telling.words["part"] = part.name
    peak = _peak(part, situation)
    if rate and reading is not None and reading.unit.startswith("FLOP") and peak:
        telling.words["peak"] = f"{peak / 1e12:,.5g} TFLOP/s"
        made = telling.work(
            "share", "share_of_peak", "share of the peak reached", {"observed_compute": rate, "peak_compute_rate": peak}
        )
        telling.keep("share", made.model_copy(update={"shown": f"{100 * made.value:.3g} %"}))
        return telling.told("peak-share", verdict="works-badly")
    if len({each.part.vendor for each in situation.setups if each.part is not None}) > 1 and situation.has("slow"):
        return telling.told("peak-share", verdict="works-badly")
    return None


def _peak(part: Accelerator, situation: Situation) -> float | None:
    id = situation.word("precision") or "bf16"
    for name in ("fp4", "fp8", "int8", "bf16", "fp16", "tf32", "fp32"):
        if id.startswith(name):
            return part.compute.get(name)
    return part.compute.get("bf16")
