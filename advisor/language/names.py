"""Models, accelerators, servers, engines and formats in running text: found by every spelling, and never guessed.

A name is looked up in the catalogue's spellings, whatever stands between its parts. Where what follows contradicts it (another
size, another memory, a suffix the catalogue does not have) it is asked back; so is what only looks like a product.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from advisor.language.tokens import Word, words_of

# What can be left off a maker's full name.
_MAKERS = {
    "nvidia",
    "amd",
    "intel",
    "google",
    "aws",
    "geforce",
    "tesla",
    "instinct",
    "dell",
    "hpe",
    "supermicro",
    "radeon",
    "apple",
    "poweredge",
}
_SIZE = re.compile(r"\d+(?:\.\d+)?b")
_MEMORY = re.compile(r"(\d+)(?:gb|g|gib|gig)")
_FORMS = {"sxm": "sxm", "sxm2": "sxm2", "sxm4": "sxm", "sxm5": "sxm", "sxm6": "sxm", "pcie": "pcie", "nvl": "nvl", "oam": "oam"}
_OTHER_PART = {"ti", "super", "laptop", "mobile", "d", "max-q"}
_TUNED = {"instruct", "chat", "it", "hf", "base"}
_CARD = re.compile(r"(?:gtx|rtx)\d{3,4}(?:ti|super)?|[abhl]\d{2,4}[a-z]{0,2}|mi\d{2,3}[a-z]?|\d{4}ti|gb\d{3}|gaudi\d|tpuv\d\w*")
_BRANDS = {"rtx", "gtx", "geforce", "quadro", "titan", "radeon", "tesla", "arc"}
_CPU = {"xeon", "xeons", "epyc", "epycs", "ryzen", "threadripper", "core"}
_PROCESSOR = re.compile(r"[a-z]?\d{3,5}\w{0,3}\+?|gold|silver|platinum|bronze|i\d|pro|wx?|\d-\d+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """One spelling of a catalogue entry; without an id it names what cannot be sized, and `note` says why or what it leaves open."""

    kind: str
    shown: str
    id: str | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text: what it may mean, likeliest first, and whether it can only mean the first.

    kind: of the catalogue, singular; "cpu" for processors. qualifiers: words that narrowed it.
    """

    kind: str
    ids: tuple[str, ...]
    first: int
    last: int
    sure: bool
    because: str = ""
    plural: bool = False
    qualifiers: frozenset[int] = field(default_factory=frozenset)


def compact(parts: Sequence[str]) -> str:
    """Parts of a name run together, digits kept apart: mi 300x and MI300X are one, 10 00 and 1000 are not."""
    made = ""
    for part in parts:
        made += ("-" if made and made[-1].isdigit() and part[:1].isdigit() else "") + part
    return made


class NameIndex:
    """Every spelling of the catalogue, ready to be found in text."""

    def __init__(self, spellings: Iterable[Spelling], ordinary: Iterable[str] = (), nearest_count: int = 4) -> None:
        self._meanings: dict[str, list[Spelling]] = {}
        self._marks: dict[tuple[str, str], set[str]] = {}
        self._starts: set[str] = set()
        self._longest = 1
        self._nearest_count = nearest_count
        self._accelerators: list[tuple[str, str]] = []
        shorter: list[tuple[list[str], Spelling]] = []
        for spelling in spellings:
            if spelling.note and spelling.note.startswith(("a task", "a size")):
                continue
            parts = [word.low for word in words_of(spelling.shown)]
            if not parts:
                continue
            self._add(parts, spelling)
            if spelling.id is not None:
                self._marks.setdefault((spelling.kind, spelling.id), set()).update(_marks(parts))
            if spelling.kind == "accelerator" and spelling.id is not None:
                self._accelerators.append((spelling.shown, spelling.id))
            without = list(parts)
            while len(without) > 1 and without[0] in _MAKERS:
                without = without[1:]
                shorter.append((list(without), spelling))
        for parts, spelling in shorter:
            # A full name without its maker is taken only where that is nobody's own spelling.
            if compact(parts) not in self._meanings or self._meanings[compact(parts)][0].id == spelling.id:
                self._add(parts, spelling)
        self.ordinary = {compact([word.low for word in words_of(name)]) for name in ordinary}
        self.letters = {match[0] for key in self._meanings for match in [re.match(r"[^\W\d_]+", key)] if match}

    def _add(self, parts: Sequence[str], spelling: Spelling) -> None:
        key = compact(parts)
        known = self._meanings.setdefault(key, [])
        if spelling not in known:
            known.append(spelling)
        self._longest = max(self._longest, len(parts))
        for end in range(1, len(key) + 1):
            self._starts.add(key[:end])

    def ids(self, spelled: str) -> tuple[str, ...]:
        """What one spelling may mean."""
        meanings = self._meanings.get(compact([word.low for word in words_of(spelled)]), ())
        return tuple(dict.fromkeys(meaning.id for meaning in meanings if meaning.id is not None))

    def find(self, words: Sequence[Word], nouns: set[int]) -> list[Mention]:
        """The names of a text, in order. nouns: places of words that make a bare number before them a count, not a name."""
        found: list[Mention] = []
        place = 0
        while place < len(words):
            mention = self._at(words, place, nouns)
            if mention is None:
                place += 1
                continue
            found.append(mention)
            place = mention.last + 1
        return [self._settled(each, words, found) for each in found]

    def _at(self, words: Sequence[Word], place: int, nouns: set[int]) -> Mention | None:
        best: tuple[int, list[Spelling], bool] | None = None
        parts: list[str] = []
        for last in range(place, min(place + self._longest, len(words))):
            word = words[last]
            if last > place:
                # A space after a lone letter parts words: "a 10" is no A10.
                if not word.joined or (len(parts) == 1 and len(parts[0]) == 1 and parts[0].isalpha() and not word.touches):
                    break
            parts.append(word.read)
            key = compact(parts)
            if key in self._meanings:
                best = (last, self._meanings[key], False)
            elif key.endswith("s") and key[:-1] in self._meanings:
                best = (last, self._meanings[key[:-1]], True)
            if key not in self._starts:
                break
        if best is None:
            return self._unknown(words, place)
        last, meanings, plural = best
        return self._mention(words, place, last, meanings, plural, nouns)

    def _mention(
        self, words: Sequence[Word], first: int, last: int, meanings: Sequence[Spelling], plural: bool, nouns: set[int]
    ) -> Mention | None:
        key = compact([word.read for word in words[first : last + 1]]).removesuffix("s" if plural else "")
        after = words[last + 1] if last + 1 < len(words) and words[last + 1].joined else None
        if key.isdigit() and after is not None and (last + 1 in nouns or after.low in "%$€"):
            return None
        if key in self.ordinary and not self._named(words, first, last):
            return None
        if key in _CPU:
            return self._processor(words, first)
        kinds = [meaning.kind for meaning in meanings]
        kind = next(each for each in ("model", "accelerator", "server", "engine", "format", kinds[0]) if each in kinds)
        own = [meaning for meaning in meanings if meaning.kind == kind]
        if kind == "server" and "accelerator" in kinds:
            kind, own = "accelerator", [meaning for meaning in meanings if meaning.kind == "accelerator"]
        ids = tuple(dict.fromkeys(meaning.id for meaning in own if meaning.id is not None))
        note = next((meaning.note for meaning in own if meaning.note), "") or ""
        # The spelling itself counts before its normal form: "kimi-k2" is an id, "kimi k2" a family of them.
        spelled = "".join((word.gap if place else "") + word.low for place, word in enumerate(words[first : last + 1]))
        exact = [meaning.id for meaning in own if meaning.note is None and meaning.id is not None]
        if exact and (not note or spelled in {meaning.shown.casefold() for meaning in own if meaning.note is None}):
            ids, note = tuple(dict.fromkeys(exact)), ""
        return Mention(kind, ids, first, last, sure=len(ids) == 1 and not note, because=note, plural=plural)

    def _named(self, words: Sequence[Word], first: int, last: int) -> bool:
        """Whether an everyday word is meant as a name: before a version, beside the word model, or said alone."""
        if first == 0 and last == len(words) - 1:
            return True
        after = words[last + 1] if last + 1 < len(words) else None
        before = words[first - 1] if first else None
        sized = after is not None and after.joined and bool(_SIZE.fullmatch(after.low))
        return sized or any(each is not None and each.low in ("model", "modell", "models") for each in (before, after))

    def _unknown(self, words: Sequence[Word], place: int) -> Mention | None:
        """Something that is called like an accelerator or a processor, and is in no catalogue."""
        word = words[place]
        following = words[place + 1] if place + 1 < len(words) and words[place + 1].joined else None
        if word.low in _CPU and (processor := self._processor(words, place)) is not None:
            return processor
        if (longer := self._longer(words, place)) is not None:
            return longer
        last = -1
        if word.low in _BRANDS and following is not None and re.fullmatch(r"[a-z]?\d{2,4}\w{0,3}|x|xp|v|pro|vii", following.low):
            last = place + 1
        elif _CARD.fullmatch(word.low.removesuffix("s")) or _CARD.fullmatch(word.low):
            last = place
        if last < 0:
            return None
        if last + 1 < len(words) and words[last + 1].joined and words[last + 1].low in _OTHER_PART:
            last += 1
        shown = " ".join(word.low for word in words[place : last + 1])
        return Mention("accelerator", self._nearest(shown), place, last, sure=False, because="no accelerator is called so")

    def _processor(self, words: Sequence[Word], place: int) -> Mention | None:
        """A processor with its number, whatever that is; "xeon" alone as well, but not "core" or "ryzen"."""
        last = place
        while last + 1 < len(words) and words[last + 1].joined and _PROCESSOR.fullmatch(words[last + 1].low):
            last += 1
        if last == place and words[place].low.removesuffix("s") not in ("xeon", "epyc"):
            return None
        return Mention("cpu", (), place, last, sure=True)

    def _longer(self, words: Sequence[Word], place: int) -> Mention | None:
        """A name with something written onto it ("starcoderbase"): of that family, but which one has to be asked."""
        word = words[place].read
        for end in range(len(word) - 1, 6, -1):
            meanings = [meaning for meaning in self._meanings.get(word[:end], ()) if meaning.kind == "model"]
            if meanings and word[:end] not in self.ordinary and word[end:].isalpha():
                ids = tuple(dict.fromkeys(meaning.id for meaning in meanings if meaning.id is not None))
                return Mention("model", ids, place, place, sure=False, because=f'no model is called "{words[place].text}"')
        return None

    def _nearest(self, shown: str) -> tuple[str, ...]:
        # Only names that nobody has need it.
        from advisor.catalogue.names import nearest_meant

        return nearest_meant(shown, self._accelerators, count=self._nearest_count)

    def _settled(self, mention: Mention, words: Sequence[Word], all_mentions: Sequence[Mention]) -> Mention:
        """The mention narrowed by the words around it, or made doubtful by them."""
        if (
            mention.kind not in ("model", "accelerator", "server")
            or not mention.ids
            or mention.because == "no accelerator is called so"
        ):
            return mention
        taken = {place for each in all_mentions if each is not mention for place in range(each.first, each.last + 1)}
        if mention.kind == "model":
            return self._model(mention, words, taken)
        return self._part(mention, words, taken)

    def _has_forms(self, kind: str, ids: Sequence[str]) -> bool:
        return any(set(_FORMS.values()) & self._marks.get((kind, id), set()) for id in ids)

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
        own = {mark for id in ids for mark in self._marks.get(("model", id), ())}
        for place in (*after, *before):
            word = words[place].read
            telling = len(word) > 2 or (len(word) == 2 and word[-1].isdigit())
            if place in taken or not (_SIZE.fullmatch(word) or (place in after and word in own and len(ids) > 1 and telling)):
                continue
            fitting = tuple(id for id in ids if word in self._marks.get(("model", id), ()))
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
            if all(words[last + 1].low not in self._marks.get(("model", id), ()) for id in ids) and words[last + 1].touches:
                return replace(mention, sure=False, last=last + 1, because="no such version is known")
        narrowed = len(ids) == 1 and len(mention.ids) > 1
        sure = mention.sure or (narrowed and bool(used))
        because = "" if sure else mention.because
        return replace(mention, ids=ids, sure=sure, because=because, last=last, qualifiers=frozenset(used))

    def _part(self, mention: Mention, words: Sequence[Word], taken: set[int]) -> Mention:
        """An accelerator or server with its form and memory, as in "A100s (40 gig, pcie)"."""
        ids, used = mention.ids, set[int]()
        last = mention.last
        if last + 1 < len(words) and words[last + 1].joined and words[last + 1].low in _OTHER_PART:
            return replace(mention, sure=False, last=last + 1, because="no accelerator is called so")
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
            spaced = word.isdigit() and place + 1 < len(words) and words[place + 1].joined
            memory = _MEMORY.fullmatch(word) or (_MEMORY.fullmatch(word + following) if spaced else None)
            marks = {f"{memory[1]}gb"} if memory else {_FORMS[word]} if word in _FORMS else set()
            if not marks:
                continue
            fitting = tuple(id for id in ids if marks & self._marks.get((mention.kind, id), set()))
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


def _marks(parts: Sequence[str]) -> set[str]:
    """The words of a spelling, and its memory and form as they are spelt."""
    marks = set(parts)
    for one, two in pairwise((*parts, "")):
        if one.isdigit() and (two in ("gb", "g") or 8 <= int(one) <= 512):
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
