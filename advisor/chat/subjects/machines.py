"""The machine around the cards: power supply, room in the case, cores for loaders, processes side by side."""

from advisor.chat.records import Part, Verdict
from advisor.chat.situation import Situation
from advisor.chat.telling import Telling
from advisor.chat.working import constant


def power_supply(situation: Situation) -> Part | None:
    """Design power of cards and processors, and the supply that their peaks call for."""
    each = situation.number("accelerator_power") or (
        situation.setup.part.power if situation.setup and situation.setup.part else None
    )
    there = situation.number("power")
    weighed = situation.has("crash") or (there is not None and situation.intent in ("check", "fits", "size", "what-if"))
    other = situation.number("memory_per_process") or situation.number("utilisation") or situation.has("out-of-memory")
    if not weighed or each is None or other:
        return None
    telling = Telling(situation)
    cards = situation.accelerators or 1.0
    sockets = situation.number("cpu_count") or 1.0
    telling.words["cards"] = f"{cards:g}"
    processor = situation.number("cpu_power")
    if processor is not None:
        telling.work(
            "sum",
            "design_power",
            "design power of GPUs and CPU",
            {
                "accelerators_per_node": cards,
                "power_per_accelerator": each,
                "cpu_sockets": sockets,
                "power_per_cpu": processor,
            },
        )
    needed = telling.work(
        "supply",
        "power_supply_needed",
        "rating of the power supply",
        {"accelerators_per_node": cards, "power_per_accelerator": each},
        constants=("transient_factor", "rest_of_system_power"),
    )
    verdict: Verdict = "works-badly" if situation.has("crash") else "ok"
    if there is not None:
        telling.words["there"] = f"{there:,.0f} W"
        telling.facts["supply_short"] = there < needed.value
        verdict = "does-not-fit" if there < needed.value else verdict
    return telling.told("power-supply", verdict=verdict)


def processes(situation: Situation) -> Part | None:
    """How many processes the cards named hold side by side."""
    each = situation.number("memory_per_process")
    if each is None:
        return None
    telling = Telling(situation)
    share = constant(situation.library, "engine_memory_share")
    lines = []
    for place, memory in enumerate(sorted(situation.all_numbers("accelerator_memory"))):
        facts = {"accelerator_memory": memory, "memory_fraction": share, "memory_per_process": each}
        made = telling.work(f"count{place}", "processes_on_card", f"processes on a {memory / 1e9:.3g} GB card", facts)
        telling.keep(f"count{place}", made.model_copy(update={"shown": f"{made.value:g} processes"}))
        lines.append(f"a {memory / 1e9:.3g} GB card {made.value:g} processes")
    telling.words["each"] = f"{each / 1e9:.3g} GB"
    telling.words["counts"] = ", ".join(lines)
    return telling.told("processes", verdict="works-badly" if situation.has("crash") else "ok")


def loader_cores(situation: Situation) -> Part | None:
    """Cores that data loaders need by the number of their processes."""
    cards, workers = situation.accelerators, situation.number("workers")
    if not situation.trains or not cards or workers is None or situation.number("load_time"):
        return None
    telling = Telling(situation)
    telling.words["cards"] = f"{cards:g}"
    telling.words["workers"] = f"{workers:g}"
    made = telling.work(
        "cores",
        "training_host_cores",
        "cores for the loaders",
        {"accelerators_per_node": cards, "loader_workers_per_accelerator": workers},
        constants=("system_cores",),
    )
    telling.keep("cores", made.model_copy(update={"shown": f"{made.value:g} cores"}))
    there = situation.number("cpu_cores")
    if there is not None:
        telling.words["there"] = f"{there:g}"
        telling.facts["cores_short"] = there < made.value
    return telling.told("loader-cores")
