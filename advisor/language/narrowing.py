"""Names narrowed by the words around them, or made doubtful by what contradicts them.

"A100s (40 gig, pcie)" is one of four parts; "llama 3.1 9b" is none of three sizes and never taken as the nearest.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from advisor.language.lookalikes import OTHER_PART
from advisor.language.mentions import NO_SUCH_ACCELERATOR, Mention
from advisor.language.tokens import Word

SIZE = re.compile(r"\d+(?:\.\d+)?b")
_MEMORY = re.compile(r"(\d+)(?:gb|g|gib|gig)")
_FORMS = {"sxm": "sxm", "sxm2": "sxm2", "sxm4": "sxm", "sxm5": "sxm", "sxm6": "sxm", "pcie": "pcie", "nvl": "nvl", "oam": "oam"}
_TUNED = {"instruct", "chat", "it", "hf", "base"}


class Marks:
    """The words that each entry's spellings hold, by which one of several is told."""

    def __init__(self) -> None:
        self._marks: dict[tuple[str, str], set[str]] = {}

    def add(self, kind: str, id: str, parts: Sequence[str]) -> None:
        """Note the words of one spelling."""
        self._marks.setdefault((kind, id), set()).update(_marks(parts))

    def holding(self, kind: str, words: set[str]) -> tuple[str, ...]:
        """The entries of a kind whose spellings hold all of these words."""
        return tuple(id for (other, id), marks in self._marks.items() if other == kind and words <= marks)

    def of(self, kind: str, id: str) -> set[str]:
        """The words of all spellings of an entry."""
        return self._marks.get((kind, id), set())


class Narrowing:
    """Settles the mentions of one text."""

    def __init__(self, words: Sequence[Word], mentions: Sequence[Mention], marks: Marks) -> None:
        self.words = words
        self.mentions = mentions
        self.marks = marks

    def settled(self) -> list[Mention]:
        """The mentions, each narrowed by the words around it or made doubtful by them."""
        return [self._settled(each) for each in self.mentions]

    def _settled(self, mention: Mention) -> Mention:
        if mention.kind not in ("model", "accelerator", "server") or not mention.ids or mention.because == NO_SUCH_ACCELERATOR:
            return mention
        taken = {place for each in self.mentions if each is not mention for place in range(each.first, each.last + 1)}
        if mention.kind == "model":
            return self._model(mention, self.words, taken)
        if mention.kind == "server":
            return self._server(mention)
        return self._part(mention, self.words, taken)

    def _model(self, mention: Mention, words: Sequence[Word], taken: set[int]) -> Mention:
        """A model with its size and variant, which may stand before or after its name."""
        last = mention.last
        while (
            last + 1 < len(words)
            and words[last + 1].joined
            and not words[last + 1].gap.strip(" ") == ""
            and words[last + 1].low in _TUNED
        ):
            last += 1
        ids, used = mention.ids, set[int]()
        after = [place for place in range(last + 1, min(last + 4, len(words))) if _together(words, last, place, "(")]
        before = [
            place for place in range(mention.first - 1, max(mention.first - 3, -1), -1) if _together(words, place, mention.first)
        ]
        own = {mark for id in ids for mark in self.marks.of("model", id)}
        for place in (*after, *before):
            word = words[place].read
            telling = len(word) > 2 or (len(word) == 2 and word[-1].isdecimal())
            if place in taken or not (SIZE.fullmatch(word) or (place in after and word in own and len(ids) > 1 and telling)):
                continue
            fitting = tuple(id for id in ids if word in self.marks.of("model", id))
            if fitting:
                ids = fitting
                used.add(place)
            elif place == last + 1 or (place in after and len(ids) > 1):
                # Another size than the name has: never taken as the nearest.
                return replace(mention, sure=False, last=place, because=f"no such model of {words[place].text} is known")
        if (
            last + 1 < len(words)
            and words[last + 1].joined
            and re.fullmatch(r"v?\d+(?:\.\d+)+", words[last + 1].low)
            and len(ids) >= 1
        ):
            if all(words[last + 1].low not in self.marks.of("model", id) for id in ids) and words[last + 1].touches:
                return replace(mention, sure=False, last=last + 1, because="no such version is known")
        narrowed = len(ids) == 1 and len(mention.ids) > 1
        sure = mention.sure or (narrowed and bool(used))
        because = "" if sure else mention.because
        return replace(mention, ids=ids, sure=sure, because=because, last=last, qualifiers=frozenset(used))

    def _part(self, mention: Mention, words: Sequence[Word], taken: set[int]) -> Mention:
        """An accelerator or server with its form and memory, as in "A100s (40 gig, pcie)"."""
        ids, used = mention.ids, set[int]()
        last = mention.last
        if last + 1 < len(words) and words[last + 1].joined and words[last + 1].low in OTHER_PART:
            return replace(mention, sure=False, last=last + 1, because=NO_SUCH_ACCELERATOR)
        places = [place for place in range(last + 1, min(last + 8, len(words))) if _beside(words, last, place)]
        places += [
            place for place in range(mention.first - 1, max(mention.first - 4, -1), -1) if _together(words, place, mention.first)
        ]
        for place in places:
            word = words[place].low
            if place in taken:
                if place > last:
                    break
                continue
            following = words[place + 1].low if place + 1 < len(words) else ""
            spaced = word.isdecimal() and place + 1 < len(words) and words[place + 1].joined
            memory = _MEMORY.fullmatch(word) or (_MEMORY.fullmatch(word + following) if spaced else None)
            marks = {f"{memory[1]}gb"} if memory else {_FORMS[word]} if word in _FORMS else set()
            if not marks:
                continue
            fitting = tuple(id for id in ids if marks & self.marks.of(mention.kind, id))
            if fitting and len(fitting) < len(ids):
                ids = fitting
                used.add(place)
            elif fitting:
                used.add(place)
            elif memory is None and place == last + 1 and words[place].joined and self._has_forms(mention.kind, ids):
                return replace(mention, sure=False, because=f"no {words[place].text} form of it is known")
            elif memory is not None and place == last + 1:
                return replace(mention, sure=False, because=f"none of it with {memory[1]} GB is known")
        sure = mention.sure or (len(ids) == 1 and len(mention.ids) > 1)
        return replace(mention, ids=ids, sure=sure, because="" if sure else mention.because, qualifiers=frozenset(used))

    def _server(self, mention: Mention) -> Mention:
        """A server that is sold with several accelerators, told by the one the text names."""
        own = {word.low for word in self.words[mention.first : mention.last + 1] if any(sign.isdecimal() for sign in word.low)}
        siblings = self.marks.holding("server", own) if own else ()
        named = {self.words[each.first].low for each in self.mentions if each.kind == "accelerator" and each.ids}
        if len(siblings) < 2 or not named or any(named & self.marks.of("server", id) for id in mention.ids):
            return mention
        fitting = tuple(id for id in siblings if named & self.marks.of("server", id))
        if len(fitting) == 1:
            return replace(mention, ids=fitting, sure=True, because="")
        because = "it is sold with several accelerators"
        return replace(mention, ids=fitting or siblings, sure=False, because=because)

    def _has_forms(self, kind: str, ids: Sequence[str]) -> bool:
        return any(set(_FORMS.values()) & self.marks.of(kind, id) for id in ids)


def _marks(parts: Sequence[str]) -> set[str]:
    """The words of a spelling, and its memory and form as they are spelt."""
    marks = set(parts)
    for one, two in pairwise((*parts, "")):
        if one.isdecimal() and (two in ("gb", "g") or 8 <= int(one) <= 512):
            marks.add(f"{one}gb")
    for part in parts:
        if match := _MEMORY.fullmatch(part):
            marks.add(f"{match[1]}gb")
        if part.startswith("sxm"):
            marks.update({"sxm", part})
        if match := re.fullmatch(r"[a-z]+(\d+(?:\.\d+)?b)", part):
            marks.add(match[1])
    return marks


def _together(words: Sequence[Word], first: int, last: int, allowed: str = "") -> bool:
    return all(word.joined or (allowed and word.gap.strip() == allowed) for word in words[first + 1 : last + 1])


def _beside(words: Sequence[Word], first: int, last: int) -> bool:
    """Whether only spaces, dashes, commas and brackets part two words."""
    return all(not re.search(r"[;.!?\n]", word.gap) for word in words[first + 1 : last + 1])
