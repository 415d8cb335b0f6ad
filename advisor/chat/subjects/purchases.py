"""Purchases and rents: what an offer leaves out, what it holds too much of, and whether a shared box is good enough."""

from advisor.catalogue.model import GENERATING
from advisor.chat.records import Part, Verdict
from advisor.chat.situation import Situation
from advisor.chat.telling import Telling
from advisor.chat.working import cache_per_token, constant

_CHEAP_SHARE = 0.5
# Less than this buys no card, so it is a rent or a part.
_LEAST_PURCHASE = 200.0


def rent(situation: Situation) -> Part | None:
    """Rent of a month for the accelerators offered, and what comes on top."""
    prices = [each for turn in situation.turns for each in turn.of("price") if each.unit.endswith("/second")]
    if not prices or situation.intent == "compare" or rent_or_buy(situation) is not None:
        return None
    telling = Telling(situation)
    count = situation.accelerators or 1.0
    telling.words["cards"] = f"{count:g}"
    each = float(prices[0].value or 0.0)
    telling.words["price"] = f"{each * 3600:,.2f} USD/h"
    telling.work("month", "rent_of_month", "GPU hours of a month", {"accelerators": count, "rent_each": each})
    return telling.told("rent", verdict="not-applicable")


def rent_or_buy(situation: Situation) -> Part | None:
    """After how long a purchase has cost as much as renting, where both prices were said."""
    telling = Telling(situation)
    prices = [each for turn in situation.turns for each in (*turn.of("price"), *turn.of("purchase_limit"))]
    hourly = next((each for each in prices if each.unit.endswith("/second")), None)
    bought = next((each for each in prices if each.unit == "USD" and float(each.value or 0) > _LEAST_PURCHASE), None)
    named = ("buy" in situation.text and "rent" in situation.text) or "break even" in situation.text
    if not named and not ("buy" in situation.text and hourly is not None and bought is not None):
        return None
    if hourly is not None and bought is not None:
        # The price of an instance is for all its cards.
        cards = 1.0 if situation.reading("instance") is not None else situation.accelerators or 1.0
        busy = situation.number("utilisation")
        if busy:
            telling.words["busy"] = f"{100 * busy:.3g} %"
        month = telling.work(
            "rent_month", "rent_of_month", "rent of a month", {"accelerators": cards, "rent_each": float(hourly.value or 0)}
        )
        rate = month.value / 2628000
        telling.words.update(
            cards=f"{cards:g}",
            purchase=f"{float(bought.value or 0):,.0f} USD",
            rent_hour=f"{rate * 3600:,.4g} USD/h",
            rent_year=f"{month.value * 12:,.0f} USD",
        )
        telling.work(
            "break_even",
            "break_even_time",
            "time until the purchase has cost as much as renting",
            {"hardware_cost": float(bought.value or 0), "rent_rate": rate, "owned_operating_rate": 0.0},
        )
        if busy:
            telling.work(
                "break_even_busy",
                "break_even_time",
                "the same where they are busy for a part of the time",
                {"hardware_cost": float(bought.value or 0), "rent_rate": rate * busy, "owned_operating_rate": 0.0},
            )
    return telling.told("rent-or-buy", verdict="not-applicable")


def offer_without_work(situation: Situation) -> Part | None:
    """What is missing where an offer is named without the work it is for."""
    if situation.intent != "check" or situation.parameters or situation.number("price") or situation.seen.get("modality"):
        return None
    return Telling(situation).told("offer-without-work")


def prices_named(situation: Situation) -> Part | None:
    """A remark on prices where two offers are compared."""
    prices = [each for turn in situation.turns for each in turn.of("price") if each.unit.endswith("/second")]
    if not prices or situation.intent != "compare" or rent_or_buy(situation) is not None:
        return None
    telling = Telling(situation)
    telling.words["prices"] = " and ".join(f"{float(each.value or 0) * 3600:,.3g} USD/h" for each in prices)
    return telling.told("prices-named")


def over_bought(situation: Situation) -> Part | None:
    """Whether an offer is made for training, or holds far more than the service needs."""
    setup, model = situation.setup, situation.model
    if situation.intent != "check" or setup is None or (setup.memory is None and setup.part is None) or model is None:
        return None
    together = situation.number("concurrent_requests")
    if model.task not in GENERATING or not together or not situation.parameters:
        return None
    memory = setup.memory or (setup.part.memory if setup.part else None) or 0.0
    telling = Telling(situation)
    bits = situation.format.bits if situation.format is not None else 16.0
    weights = telling.work("weights", "plain_weights", "weights", {"parameters": situation.parameters, "weight_bits": bits})
    length = (situation.number("input_tokens") or 0) + (situation.number("output_tokens") or 0)
    cache = telling.work(
        "cache",
        "prompts_cache",
        "KV cache of all chats",
        {"kv_cache_per_token": cache_per_token(situation.library, model).value, "prompt_tokens": together * length},
    )
    need = telling.work(
        "need", "weights_and_cache", "weights and KV cache", {"plain_weights": weights.value, "prompts_cache": cache.value}
    )
    total = memory * (situation.accelerators or 1.0)
    telling.words.update(together=f"{together:g}", setup=setup.shown, total=f"{total / 1e9:,.4g} GB", model=situation.model_name)
    too_much = need.value < _CHEAP_SHARE * constant(situation.library, "engine_memory_share") * total
    telling.facts["too_much"] = too_much
    verdict: Verdict = "works-badly" if too_much else "ok"
    return telling.told("over-bought", verdict=verdict)


def shared_box(situation: Situation) -> Part | None:
    """Whether one box for tuning and trying out is good enough for a small team."""
    if situation.intent != "check" or not situation.adapters or not situation.parameters or situation.has("out-of-memory"):
        return None
    telling = Telling(situation)
    telling.words["model"] = situation.model_name
    telling.work("weights", "plain_weights", "16-bit weights", {"parameters": situation.parameters, "weight_bits": 16.0})
    if situation.setup:
        telling.words["setup"] = situation.setup.shown
    return telling.told("shared-box", verdict="ok")
