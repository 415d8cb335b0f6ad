"""Models, accelerators, servers, engines and formats in running text: found by every spelling, and never guessed.

A name is looked up in the catalogue's spellings, whatever stands between its parts; what only looks like a product is asked back.
"""

import re
from collections.abc import Iterable, Sequence

from advisor.language.lookalikes import PROCESSORS, processor, unknown_card
from advisor.language.mentions import NO_SUCH_ACCELERATOR, Mention, Spelling, compact
from advisor.language.narrowing import SIZE, Marks, Narrowing
from advisor.language.tokens import Word, words_of

# What can be left off a maker's full name.
_MAKERS = frozenset(
    ("nvidia", "amd", "intel", "google", "aws", "geforce", "tesla", "instinct", "dell", "hpe", "supermicro", "radeon", "apple",
     "poweredge")
)  # fmt: skip

_LETTERS = re.compile(r"[^\W\d_]+")
_PLURALS = ("s", "er", "ern", "en")


class NameIndex:
    """Every spelling of the catalogue, ready to be found in text."""

    def __init__(self, spellings: Iterable[Spelling], ordinary: Iterable[str] = (), nearest_count: int = 4) -> None:
        self._meanings: dict[str, list[Spelling]] = {}
        self._marks = Marks()
        self._starts: set[str] = set()
        self.vocabulary: set[str] = set()
        self.letters: set[str] = set()
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
            self.vocabulary.update(parts)
            if "/" not in spelling.shown and (match := _LETTERS.match(compact(parts))):
                self.letters.add(match[0])  # a hub's id begins with its maker
            if spelling.id is not None:
                self._marks.add(spelling.kind, spelling.id, parts)
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
            found.extend(self._format_in(mention, words))
            place = mention.last + 1
        found = [each for place, each in enumerate(found) if not _maker_of(each, found[place + 1 : place + 2], words)]
        return Narrowing(words, found, self._marks).settled()

    def _at(self, words: Sequence[Word], place: int, nouns: set[int]) -> Mention | None:
        best: tuple[int, list[Spelling], bool] | None = None
        parts: list[str] = []
        for last in range(place, min(place + self._longest, len(words))):
            word = words[last]
            if last > place:
                # A space after a lone letter parts words: "a 10" is no A10.
                if not (word.joined or word.gap == ".") or (
                    len(parts) == 1 and len(parts[0]) == 1 and parts[0].isalpha() and not word.touches
                ):
                    break
            parts.append(word.read)
            key = compact(parts)
            if key in self._meanings:
                best = (last, self._meanings[key], False)
            elif (singular := self._singular(key)) is not None:
                best = (last, self._meanings[singular], True)
            if key not in self._starts:
                break
        if best is None:
            return self._unknown(words, place, nouns)
        last, meanings, plural = best
        return self._mention(words, place, last, meanings, plural, nouns)

    def _singular(self, key: str) -> str | None:
        """The name that a plural is of, in any language here."""
        return next(
            (key.removesuffix(end) for end in _PLURALS if key.endswith(end) and key.removesuffix(end) in self._meanings), None
        )

    def _mention(
        self, words: Sequence[Word], first: int, last: int, meanings: Sequence[Spelling], plural: bool, nouns: set[int]
    ) -> Mention | None:
        key = compact([word.read for word in words[first : last + 1]])
        key = (self._singular(key) or key) if plural else key
        after = words[last + 1] if last + 1 < len(words) and words[last + 1].joined else None
        if key.isdecimal() and after is not None and (last + 1 in nouns or after.low in "%$€"):
            return None
        if key in self.ordinary and not self._named(words, first, last):
            return None
        if key in PROCESSORS:
            return processor(words, first)
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
        parts = {meaning.part for meaning in own}
        part = next(iter(parts)) if len(parts) == 1 else None
        return Mention(kind, ids, first, last, sure=len(ids) == 1 and not note, because=note, plural=plural, part=part)

    def _named(self, words: Sequence[Word], first: int, last: int) -> bool:
        """Whether an everyday word is meant as a name: before a version, beside the word model, or said alone."""
        if first == 0 and last == len(words) - 1:
            return True
        after = words[last + 1] if last + 1 < len(words) else None
        before = words[first - 1] if first else None
        sized = after is not None and after.joined and bool(SIZE.fullmatch(after.low))
        return sized or any(each is not None and each.low in ("model", "modell", "models") for each in (before, after))

    def _format_in(self, mention: Mention, words: Sequence[Word]) -> list[Mention]:
        """The number format that a model's spelling ends in: "llama 3.1 405b fp8" says both."""
        if mention.kind != "model" or mention.last == mention.first:
            return []
        meanings = [
            each for each in self._meanings.get(words[mention.last].read, ()) if each.kind == "format" and each.id is not None
        ]
        ids = tuple(dict.fromkeys(str(each.id) for each in meanings))
        return [Mention("format", ids, mention.last, mention.last, sure=True)] if len(ids) == 1 else []

    def _unknown(self, words: Sequence[Word], place: int, nouns: set[int]) -> Mention | None:
        """Something that is called like a model, an accelerator or a processor, and is in no catalogue."""
        if words[place].low in PROCESSORS and (found := processor(words, place)) is not None:
            return found
        if (longer := self._longer(words, place)) is not None:
            return longer
        last = unknown_card(words, place)
        if last is None or (words[last].low.isdecimal() and last + 1 in nouns):
            return None
        shown = " ".join(word.low for word in words[place : last + 1])
        return Mention("accelerator", self._nearest(shown), place, last, sure=False, because=NO_SUCH_ACCELERATOR)

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


def _maker_of(mention: Mention, following: Sequence[Mention], words: Sequence[Word]) -> bool:
    """Whether it only names the maker in a hub's id, as the first Qwen of Qwen/Qwen2.5-14B-Instruct does."""
    return any(
        each.first == mention.last + 1 and words[each.first].gap == "/" and each.kind == mention.kind for each in following
    )
