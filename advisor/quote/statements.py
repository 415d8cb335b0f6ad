"""What running text says: phrases, electrical feeds, model sizes and number formats."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from advisor.errors import QuantityError
from advisor.quote.numbers import Mark, number_in
from advisor.quote.quote import Statement, Sureness, Wanted
from advisor.quote.words import QuoteWords
from advisor.units import parse

# What is measured in each kind of statement; counts and words have none.
STATEMENT_UNITS = {
    "measured_power": "watt",
    "measured_wall_power": "watt",
    "card_power_limit": "watt",
    "rack_power": "watt",
    "rack_cooling": "watt",
    "node_power": "watt",
    "measured_bandwidth": "byte/second",
    "expected_bandwidth": "byte/second",
    "network_speed": "byte/second",
    "stated_weights": "byte",
    "deadline_days": "second",
    "lift_mass": "kilogram",
    "node_mass": "kilogram",
}
_COUNT_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8}
_SPELLED_UNITS = {"Gb/s": "Gbit/s", "Gbps": "Gbit/s", "GbE": "Gbit/s"}
# Volts of the outlets that breakers of this current usually feed.
_USUAL_VOLTS = {
    15.0: 120.0,
    20.0: 120.0,
    30.0: 240.0,
    50.0: 240.0,
    10.0: 230.0,
    13.0: 230.0,
    16.0: 230.0,
    32.0: 230.0,
    63.0: 230.0,
}
LONGEST_TEXT = 4_000

# 15 A / 120 V; 220 V / 30 A; 20A outlet (110-120V).
_AMPERES = re.compile(
    r"(?:(?P<feeds>\d{1,2}|two|three|four)\s*(?:x|×)?\s*)??(?:CEE\s*)?(?P<phases>(?:3|three)[- ]?(?:x|×|ph(?:ase)?s?)\s*)?"
    r"(?<![\d.,])(?P<amperes>\d{1,3})[- ]?A(?:mp(?:ere)?s?)?\b(?!\s*/\s*B)",
    re.IGNORECASE,
)
_VOLTS = re.compile(r"(?<![\d.,])(?:(?P<low>\d{3})\s*(?:-|–|/)\s*)?(?P<volts>\d{3})\s*V(?:AC|olts?)?\b", re.IGNORECASE)
_ONE_PHASE_OF = {400.0: 230.0, 380.0: 220.0, 415.0: 240.0, 208.0: 208.0}
_MODEL_SIZE = re.compile(
    r"(?<![\w.,])(?:(\d{1,3})\s?x\s?)?(\d{1,4}(?:\.\d+)?)\s?(B|bn|billion|T|trillion)\b(?![/-]?(?:s|it))(?![ -]?tokens?)",
    re.IGNORECASE,
)
_BITS: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), bits)
    for pattern, bits in (
        (r"\b(?:fp32|float32)\b", 32.0),
        (r"\b(?:fp16|bf16|float16|16[- ]?bits?|half precision)\b", 16.0),
        (r"\b(?:fp8|int8|8[- ]?bits?|q8\w*|w8a8)\b", 8.0),
        (r"\b(?:q6\w*|6[- ]?bits?)\b", 6.5),
        (r"\b(?:q5\w*|5[- ]?bits?)\b", 5.5),
        (r"\b(?:nvfp4|mxfp4|fp4|int4|awq|gptq|4[- ]?bits?|q4\w*|quanti[sz]ed|quantisiert)\b", 4.5),
        (r"\b(?:q3\w*|3[- ]?bits?)\b", 3.5),
        (r"\b(?:q2\w*|2[- ]?bits?)\b", 2.6),
    )
)
# What few names say by themselves.
_SIZES_BY_NAME = ((re.compile(r"\bDeepSeek[- ]?(?:V3|R1)(?!\S*distill)", re.IGNORECASE), 671e9),)


def phrases_in(text: str, where: str, decimal: Mark, words: Sequence[QuoteWords]) -> Iterator[Statement]:
    """The statements whose phrases stand in a text, each once."""
    text = text[:LONGEST_TEXT]
    found: set[str] = set()
    for language in words:
        for name, pattern in language.compiled_phrases:
            if name in found:
                continue
            match = pattern.search(text)
            if match is None:
                continue
            statement = _statement(name, match, where, decimal)
            if statement is not None:
                found.add(name)
                yield statement


def _statement(name: str, match: re.Match[str], where: str, decimal: Mark) -> Statement | None:
    groups = match.groupdict()
    said = " ".join(match[0].split())
    if groups.get("value") is None:
        return Statement(name=name, value=True, text=said, where=where)
    word = groups["value"].rstrip(".,")
    value = float(_COUNT_WORDS[word.casefold()]) if word.casefold() in _COUNT_WORDS else number_in(word, decimal)
    if value is None:
        return None
    unit = STATEMENT_UNITS.get(name, "1")
    spelled = groups.get("unit")
    if spelled and unit not in ("1", "kilogram"):
        try:
            value = parse(f"{value} {_SPELLED_UNITS.get(spelled, spelled)}", unit)
        except QuantityError:
            return None
    return Statement(name=name, value=value, unit=unit, text=said, where=where)


def feeds_in(text: str, where: str) -> tuple[Statement, ...]:
    """The electrical feed a text speaks of: feeds, phases, amperes and volts.

    Volts that are not written are left out; of a range the higher counts; the voltage between phases gives one phase's.
    """
    text = text[:LONGEST_TEXT]
    current = None
    for match in _AMPERES.finditer(text):
        if current is None or (match["phases"] and not current["phases"]):
            current = match
    if current is None:
        return ()
    said = " ".join(current[0].split())
    phases = 3.0 if current["phases"] else 1.0
    feeds = current["feeds"]
    # "3x32 A" is one three-phase feed, "2x 32 A" two feeds.
    number = 1.0
    if feeds:
        number = float(_COUNT_WORDS.get(feeds.casefold(), 0) or feeds)
        if phases == 1 and number == 3:
            number, phases = 1.0, 3.0
    found = [
        Statement(name="circuit_current", value=float(current["amperes"]), unit="ampere", text=said, where=where),
        Statement(name="circuit_phases", value=phases, unit="1", text=said, where=where),
        Statement(name="circuit_feeds", value=number, unit="1", text=said, where=where),
    ]
    volts = _VOLTS.search(text)
    if volts is not None:
        value = float(volts["volts"])
        low = float(volts["low"]) if volts["low"] else None
        if value in _ONE_PHASE_OF:
            value = low if low is not None and value == 400 else _ONE_PHASE_OF[value]
        found.append(Statement(name="circuit_voltage", value=value, unit="volt", text=volts[0].strip(), where=where))
    elif phases == 3 or float(current["amperes"]) in _USUAL_VOLTS:
        usual = 230.0 if phases == 3 else _USUAL_VOLTS[float(current["amperes"])]
        found.append(Statement(name="circuit_voltage", value=usual, unit="volt", text=said, where=where, sure=Sureness.likely))
    return tuple(found)


def wanted_in(text: str) -> tuple[Wanted, ...]:
    """Models that words about a workload speak of, each with the number format that stands by it."""
    text = text[:LONGEST_TEXT]
    spans = [(match.start(), match.end(), _parameters(match), match[0]) for match in _MODEL_SIZE.finditer(text)]
    for pattern, parameters in _SIZES_BY_NAME:
        spans += [(match.start(), match.end(), parameters, match[0]) for match in pattern.finditer(text)]
    spans.sort()
    found: list[Wanted] = []
    ends = [*(start for start, *_ in spans[1:]), len(text)][: len(spans)]
    for index, ((start, stop, parameters, said), end) in enumerate(zip(spans, ends, strict=True)):
        before = spans[index - 1][1] if index else 0
        bits = bits_in(text[stop:end]) or bits_in(text[max(before, start - 14) : start])
        found.append(Wanted(text=said.strip(), parameters=parameters, bits=bits))
    # "400B to 700B at 4 bits": what stands after the last of a list holds for all of it.
    for index, (first, second) in reversed(list(enumerate(pairwise(found)))):
        between = text[spans[index][1] : spans[index + 1][0]]
        if first.bits is None and second.bits is not None and re.fullmatch(r"\s*(?:to|or|and|-|–|,|/|und|bis)\s*", between):
            found[index] = first.model_copy(update={"bits": second.bits})
    return tuple(found)


def bits_in(text: str) -> float | None:
    """Bits per weight of the first number format that a text names."""
    matches = [(match.start(), bits) for pattern, bits in _BITS if (match := pattern.search(text))]
    return min(matches)[1] if matches else None


def bits_of_all(texts: Iterable[str]) -> float | None:
    """The same over several texts."""
    return next((bits for text in texts if (bits := bits_in(text)) is not None), None)


def _parameters(match: re.Match[str]) -> float:
    scale = 1e12 if match[3].casefold() in ("t", "trillion") else 1e9
    return float(match[1] or 1) * float(match[2]) * scale
