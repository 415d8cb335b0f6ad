"""What a counted thing means: people, requests, cards, nodes, and whatever else figures count."""

from collections.abc import Iterable

from advisor.language.facts import FACTS
from advisor.language.meanings import Meaning, within
from advisor.language.measures import Quantity
from advisor.language.nearness import Nearness

# What a counted thing is called among the facts, and what else it can be where a cue says so.
THINGS: dict[str, tuple[str, ...]] = {
    "people": ("people", "concurrent_requests"),
    "requests": ("concurrent_requests", "batch", "requests_per_second"),
    "calls_per_request": ("calls_per_request",),
    "accelerators": ("accelerator_count",),
    "nodes": ("node_count",),
    "samples": ("dataset_samples",),
    "documents": ("documents",),
    "chunks": ("chunks",),
    "epochs": ("epochs",),
    "cores": ("cpu_cores",),
    "racks": ("racks",),
    "runs": ("runs_per_month",),
    "dimensions": ("vector_width",),
    "parameters": ("parameters",),
    "heads": ("attention_heads",),
    "workers": ("workers",),
    "processes": ("processes",),
    "frames": ("frames_per_second",),
    "cameras": ("cameras",),
    "rack_units": ("rack_units",),
}
# How near a cue must stand to make people requests at once.
_CLOSE = 3.2


class CountedThings:
    """Tells what the counted things of one text mean."""

    def __init__(self, nearness: Nearness, asked: str | None = None) -> None:
        """asked: the fact that the text answers."""
        self.nearness = nearness
        self.asked = asked

    def offers(self, quantity: Quantity) -> Iterable[Meaning]:
        """What is counted tells most; a cue close by can make people requests at once, or cards a limit."""
        facts = THINGS.get(quantity.thing, ())
        if self.asked in facts and within(quantity, FACTS[self.asked]) and quantity.unit in FACTS[self.asked].unit.split("|"):
            yield Meaning(quantity, self.asked, quantity.sure, 0.1)
        if quantity.thing == "part":
            yield Meaning(quantity, "memory_used", quantity.sure, 0.0)
            return
        if quantity.thing == "nines":
            yield Meaning(quantity, "availability", True, 0.0)
            return
        if (
            quantity.thing == "accelerators"
            and self.nearness.before(quantity, "most")
            and not self.nearness.near(quantity, "own", 4)
        ):
            yield Meaning(quantity, "max_count", quantity.sure, 0.5)
            return
        if quantity.unit == "request/second":
            for cue in self.nearness.cues(quantity):
                if cue.key == "requests_per_active_person_per_hour" and self.nearness.distance(quantity, cue) <= 5:
                    yield Meaning(quantity, cue.key, quantity.sure, 0.5, cue)
                    return
            yield Meaning(quantity, "requests_per_second", quantity.sure, 1.0)
            return
        batches = [cue for cue in self.nearness.cues(quantity) if cue.key == "batch" and cue.last == quantity.first - 1]
        if batches and quantity.thing in ("samples", "documents", "requests"):
            yield Meaning(quantity, "batch", quantity.sure, 0.0, batches[0])
            return
        for cue in self.nearness.cues(quantity):
            told = cue.key in facts[1:] or (cue.key == "concurrent_requests" and quantity.thing == "requests")
            if told and not self._shared(quantity):
                cost = self.nearness.distance(quantity, cue)
                if cost <= _CLOSE:
                    yield Meaning(quantity, cue.key, quantity.sure, cost, cue)
        if quantity.thing == "requests":
            if quantity.value >= 2:
                yield Meaning(quantity, facts[0], False, 6.0, because="it may be at once, or in a span of time")
            return
        fact = facts[0] if facts else ""
        if fact in FACTS and within(quantity, FACTS[fact]):
            yield Meaning(quantity, fact, quantity.sure, 4.0)

    def _shared(self, quantity: Quantity) -> bool:
        """Whether a share of those counted stands before them: "15 % of the 3,000 employees at once"."""
        return any(each.unit == "share" and 0 < quantity.first - each.last <= 3 for each in self.nearness.figures(quantity))
