"""What is called like a product but stands in no catalogue: cards of other generations, and processors with their numbers."""

import re
from collections.abc import Sequence

from advisor.language.mentions import Mention
from advisor.language.tokens import Word

# Words that make another part of a known one: an RTX 4090 laptop is no RTX 4090.
OTHER_PART = {"ti", "super", "laptop", "mobile", "d", "max-q"}
PROCESSORS = {"xeon", "xeons", "epyc", "epycs", "ryzen", "threadripper", "core"}
_ALONE = {"xeon", "xeons", "epyc", "epycs"}
_PROCESSOR_PART = re.compile(r"[a-z]?\d{3,5}\w{0,3}\+?|gold|silver|platinum|bronze|i\d|pro|wx?|\d-\d+")
_BRANDS = {"rtx", "gtx", "geforce", "quadro", "titan", "radeon", "tesla", "arc"}
_BRANDED = re.compile(r"[a-z]?\d{2,4}\w{0,3}|x|xp|v|pro|vii")
_RADEON = {"xt", "xtx", "gre"}
# Cards that people call by their number alone, behind a count or an article: "a 3060", "5 x 3060".
_NUMBERED = re.compile(r"[1-5]0[5-9]0s?")
_COUNT = re.compile(r"\d{1,2}|x|an?|my|one|two|three|four|eine[rmn]?|ein|zwei|drei|vier")
_CARD = re.compile(r"(?:gtx|rtx)\d{3,4}(?:ti|super)?|[abhl]\d{2,4}[a-z]{0,2}|mi\d{2,3}[a-z]?|\d{4}ti|gb\d{3}|gaudi\d|tpuv\d\w*")


def unknown_card(words: Sequence[Word], place: int) -> int | None:
    """The last word of what is called like an accelerator and begins at `place`: "RTX 4070", "1080ti", "H1000"."""
    word = words[place].low
    following = _following(words, place)
    if word in _BRANDS and following is not None and _BRANDED.fullmatch(following.low):
        last = place + 1
    elif word.isdecimal() and len(word) == 4 and following is not None and following.low in _RADEON:
        last = place + 1
    elif _NUMBERED.fullmatch(word) and place and _COUNT.fullmatch(words[place - 1].low) and words[place].joined:
        last = place
    elif _CARD.fullmatch(word.removesuffix("s")) or _CARD.fullmatch(word):
        last = place
    else:
        return None
    after = _following(words, last)
    return last + 1 if after is not None and after.low in OTHER_PART else last


def processor(words: Sequence[Word], place: int) -> Mention | None:
    """A processor with its number, whatever that is; "xeon" alone as well, but not "core" or "ryzen"."""
    last = place
    while (following := _following(words, last)) is not None and _PROCESSOR_PART.fullmatch(following.low):
        last += 1
    if last == place and words[place].low not in _ALONE:
        return None
    return Mention("cpu", (), place, last, sure=True)


def _following(words: Sequence[Word], place: int) -> Word | None:
    after = words[place + 1] if place + 1 < len(words) else None
    return after if after is not None and after.joined else None
