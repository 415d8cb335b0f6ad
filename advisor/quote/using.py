"""Facts about the work a quote is bought for, as far as its words tell: kind, models, sizes and formats."""

from collections.abc import Mapping

from advisor.facts import FactValue
from advisor.quote.assembling import stated_bits
from advisor.quote.quote import Quote

_WORKS = ("training", "finetune", "inference", "mixed", "hpc")


def wanted_facts(quote: Quote, found: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """Kind of work, and the models wanted: the largest by size, and the smallest. A format that is not said counts as 4 bits,
    the smallest that models are usually served in, so that a memory found short is short in any form."""
    facts: dict[str, FactValue] = {}
    work = quote.work if quote.work in _WORKS else ("other" if quote.work or quote.wanted else None)
    if work is not None:
        facts["quoted_work"] = work
    facts["model_wanted"] = bool(quote.wanted)
    if quote.wanted:
        usual = stated_bits(quote.precision) or 4.5
        sizes = [(each.parameters * (each.bits or usual) / 8, each.parameters) for each in quote.wanted]
        facts["wanted_memory"], facts["wanted_parameters"] = max(sizes)
        facts["smallest_wanted_memory"], facts["smallest_wanted_parameters"] = min(sizes)
        facts["mixture_of_experts"] = any(each.name == "moe" and "facts" not in each.where for each in quote.statements) or any(
            each.parameters > 500e9 for each in quote.wanted
        )
    return facts
