"""What is likely wrong, from what somebody saw: causes in order, each with the measurement that would settle it."""

from collections.abc import Mapping

from advisor.catalogue.record import Citation, Record
from advisor.catalogue.symptom import Symptom
from advisor.facts import FactValue
from advisor.interview.facts_in_text import Understood, accelerators_in_all
from advisor.library import Library

# A cause is told when this much speaks for it, and when it is not far behind the likeliest.
_LEAST = 2.0
_BEHIND = 0.4
# A crash with this much of the card in use is one for want of memory.
_FULL = 0.93


class LikelyCause(Record):
    """A cause with how much speaks for it, the conditions that held, and what its entry says."""

    id: str
    score: float
    because: tuple[str, ...]
    cause: str
    confirm: str
    first: str
    instead_of: str | None = None
    harmless: bool = False
    sources: tuple[Citation, ...] = ()


def diagnose(got: Understood, library: Library) -> tuple[LikelyCause, ...]:
    """The causes that what was said speaks for, likeliest first; none where too little was said.

    The score is the sum of the signs that hold; causes with less than two, or with less than two fifths of the likeliest's,
    are left out.
    """
    seen = observed(got)
    found = [cause for entry in library.all(Symptom) if (cause := _judged(entry, seen)) is not None]
    found.sort(key=lambda each: (-each.score, each.id))
    return tuple(each for each in found if each.score >= max(_LEAST, _BEHIND * found[0].score))


def observed(got: Understood) -> dict[str, FactValue]:
    """What was said as facts for conditions: readings by name, and what goes wrong as flags under its own name."""
    seen: dict[str, FactValue] = {}
    for each in got.facts:
        if each.value is None or each.negated:
            # Of an accelerator that is left open the family still tells.
            if each.fact == "accelerator" and not each.negated and each.among:
                seen.setdefault("accelerator_family", each.among[0].rstrip("0123456789"))
            continue
        if each.fact == "engine":
            seen[each.fact] = each.value  # of two engines the one moved to
        seen.setdefault(each.fact, each.value)
        if each.fact in ("batch", "micro_batch") and isinstance(each.value, float):
            seen.setdefault("batch", each.value)
    for symptom in got.symptoms:
        seen[symptom.replace("-", "_")] = True
    used, there = seen.get("memory_used"), seen.get("accelerator_memory")
    if "crash" in seen and isinstance(used, float) and isinstance(there, float) and used >= _FULL * there:
        seen["out_of_memory"] = True
        del seen["crash"]
    expected = seen.get("memory_expected")
    if isinstance(used, float) and isinstance(expected, float) and used > expected and "out_of_memory" not in seen:
        seen["memory_high"] = True
    if (count := accelerators_in_all(got.facts)) is not None:
        seen["accelerator_count"] = count
    return seen


def _judged(entry: Symptom, seen: Mapping[str, FactValue]) -> LikelyCause | None:
    if not all(each.holds(seen) for each in entry.needs):
        return None
    holding = [sign for sign in entry.signs if sign.when.holds(seen)]
    score = sum(sign.weight for sign in holding)
    if score <= 0 or not any((sign.weight > 0 and sign.when.operator != "is") or sign.weight >= 1 for sign in holding):
        return None
    return LikelyCause(
        id=entry.id,
        score=round(score, 2),
        because=tuple(sign.when.text for sign in holding if sign.weight > 0),
        cause=entry.cause,
        confirm=entry.confirm,
        first=entry.first,
        instead_of=entry.instead_of,
        harmless=entry.harmless,
        sources=entry.sources,
    )
