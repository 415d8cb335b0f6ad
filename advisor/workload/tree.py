"""YAML text as a tree that keeps its lines, read from events so that no text can make it large, deep or slow.

Scalars stay text (only an empty one, `~` and `null` are nothing): the field that reads one knows whether 1:30, 0.10, no or
2026-11-30 is a number, a version, a flag or a day, so none of YAML 1.1's guesses is ever made. JSON is read the same way.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml import events

from advisor.errors import DocumentError
from advisor.workload.refusal import Path, shorten, show_path
from advisor.workload.yaml_problem import not_yaml

MOST_VALUES = 60_000
MOST_IN_ONE = 5_000
DEEPEST = 20
MOST_DIRECTIVES = 10
_DIRECTIVE = re.compile("^%|[\r\n\x85\u2028\u2029]%")
_NOTHING = ("", "~", "null", "Null", "NULL")
# The C parser is part of PyYAML's wheels; where it was built without, the same grammar is read by the slower one.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class Node:
    """A value and the line it begins on. size: values in it when aliases are written out; depth: levels below it."""

    line: int
    size: int = 1
    depth: int = 0


@dataclass(slots=True)
class Scalar(Node):
    """A single value; None for nothing."""

    text: str | None = None


@dataclass(slots=True)
class Listing(Node):
    """Values in order."""

    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Keyed(Node):
    """Keys with the line each stands on and its value."""

    entries: dict[str, tuple[int, Node]] = field(default_factory=dict)


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been read: the node, its anchor, and what is still to come to it."""

    node: Listing | Keyed
    anchor: str | None
    key: str | None = None
    key_line: int = 0
    merged: list[Keyed] = field(default_factory=list)
    merge_key: bool = False


class Tree:
    """One YAML document. Raises DocumentError for text that is not one, or too large to be one."""

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self._text = text
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._root: Node | None = None
        if len(_DIRECTIVE.findall(text)) > MOST_DIRECTIVES:
            raise DocumentError("it begins with more YAML directives than any document needs", where=where)
        for event in self._events():
            self._take(event)

    @property
    def root(self) -> Node | None:
        """The outermost value; None for an empty document."""
        return self._root

    def plain(self) -> Any:
        """The values without their lines; what an alias names is the same object each time."""
        return None if self._root is None else _plain(self._root, {})

    def line(self, path: Path) -> int | None:
        """The line that the key or item at `path` stands on; of the nearest outer one when it is not there."""
        node, line = self._root, None if self._root is None else self._root.line
        for part in path:
            if isinstance(node, Keyed) and part in node.entries:
                line, node = node.entries[str(part)]
            elif isinstance(node, Listing) and isinstance(part, int) and part < len(node.items):
                node = node.items[part]
                line = node.line
            else:
                break
        return line

    def _events(self) -> Iterator[Any]:
        try:
            yield from yaml.parse(self._text, Loader=_LOADER)
        except yaml.MarkedYAMLError as error:
            raise not_yaml(error, self._text, self.where) from None
        except yaml.reader.ReaderError as error:
            line = self._text.count("\n", 0, error.position if isinstance(error.position, int) else 0) + 1
            raise DocumentError(
                "it holds characters that no text has", where=f"{self.where}, line {line}", hint="save it as plain UTF-8 text"
            ) from None

    def _take(self, event: Any) -> None:
        if isinstance(event, events.ScalarEvent):
            self._refuse_tag(event)
            nothing = event.implicit[0] and event.value in _NOTHING
            self._scalar(event, None if nothing else event.value)
        elif isinstance(event, events.MappingStartEvent | events.SequenceStartEvent):
            self._refuse_tag(event)
            self._start(event)
        elif isinstance(event, events.MappingEndEvent | events.SequenceEndEvent):
            self._end()
        elif isinstance(event, events.AliasEvent):
            self._alias(event)
        elif isinstance(event, events.DocumentStartEvent) and self._root is not None:
            raise DocumentError(
                "a second document begins here",
                where=self._at(event),
                hint="keep one document in a file: delete `---` and what follows",
            )

    def _scalar(self, event: Any, text: str | None) -> None:
        if self._awaits_key():
            self._key(event, text)
            return
        node = Scalar(event.start_mark.line + 1, text=text)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._add(node, event)

    def _key(self, event: Any, text: str | None) -> None:
        frame = self._open[-1]
        assert isinstance(frame.node, Keyed)
        line = event.start_mark.line + 1
        if text is None:
            raise DocumentError("a key is empty", where=self._at(event), hint="write a key before the colon")
        if event.anchor is not None:
            raise DocumentError("an anchor (&) stands before a key", where=self._at(event), hint="anchor the value instead")
        frame.merge_key = text == "<<" and event.implicit[0]
        if text in frame.node.entries:
            first = frame.node.entries[text][0]
            same = f"twice on line {line}" if first == line else f"on lines {first} and {line}"
            raise DocumentError(
                f'the key "{shorten(text)}" stands {same}', where=self._at(event, text), hint="keep one of the two"
            )
        frame.key, frame.key_line = text, line

    def _start(self, event: Any) -> None:
        if self._awaits_key():
            raise DocumentError(
                "a list or a mapping stands where a key is expected",
                where=self._at(event),
                hint="write `key: value`; put text that begins with a bracket in quotes",
            )
        if len(self._open) >= DEEPEST:
            raise DocumentError(
                f"it is nested more than {DEEPEST} levels deep",
                where=f"{self.where}, line {event.start_mark.line + 1}",
                hint="no key goes deeper than 8",
            )
        line = event.start_mark.line + 1
        node = Keyed(line) if isinstance(event, events.MappingStartEvent) else Listing(line)
        self._open.append(_Open(node, event.anchor))

    def _end(self) -> None:
        frame = self._open.pop()
        if isinstance(frame.node, Keyed):
            for merged in frame.merged:
                for key, entry in merged.entries.items():
                    frame.node.entries.setdefault(key, entry)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = frame.node
        self._add(frame.node, None)

    def _alias(self, event: Any) -> None:
        if self._awaits_key():
            raise DocumentError("an alias (*) stands where a key is expected", where=self._at(event), hint="write the key out")
        node = self._anchors.get(event.anchor)
        if node is None:
            inside = any(frame.anchor == event.anchor for frame in self._open)
            raise DocumentError(
                f"*{shorten(event.anchor)} stands inside what it names"
                if inside
                else f"*{shorten(event.anchor)} names nothing that stands before it",
                where=self._at(event),
                hint="write the value out" if inside else f"mark the value with &{shorten(event.anchor)}, or write it out",
            )
        self._add(node, event)

    def _add(self, node: Node, event: Any) -> None:
        """Puts a finished value into the collection it stands in."""
        if not self._open:
            self._root = node
            return
        frame = self._open[-1]
        outer = frame.node
        outer.size += node.size
        outer.depth = max(outer.depth, node.depth + 1)
        if outer.size > MOST_VALUES or outer.depth + len(self._open) > DEEPEST + 1:
            what = f"{MOST_VALUES:,} values" if outer.size > MOST_VALUES else f"{DEEPEST} levels"
            raise DocumentError(
                f"it has more than {what}",
                where=f"{self.where}, line {node.line if event is None else event.start_mark.line + 1}",
                hint="split it into several documents; what an alias (*) names counts each time",
            )
        if len(outer.items if isinstance(outer, Listing) else outer.entries) >= MOST_IN_ONE:
            raise DocumentError(
                f"a list or mapping holds more than {MOST_IN_ONE:,} values",
                where=f"{self.where}, line {outer.line}",
                hint="split it into several documents",
            )
        if isinstance(outer, Listing):
            outer.items.append(node)
        elif frame.merge_key:
            frame.merged.extend(self._mergeable(node))
            frame.key, frame.merge_key = None, False
        else:
            assert isinstance(outer, Keyed)
            assert frame.key is not None
            outer.entries[frame.key] = (frame.key_line, node)
            frame.key = None

    def _mergeable(self, node: Node) -> list[Keyed]:
        nodes = node.items if isinstance(node, Listing) else [node]
        keyed = [each for each in nodes if isinstance(each, Keyed)]
        if len(keyed) != len(nodes):
            raise DocumentError(
                "<< merges mappings, and this is none",
                where=f"{self.where}, line {node.line}",
                hint="write <<: *anchor of a mapping",
            )
        return keyed

    def _awaits_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].node, Keyed) and self._open[-1].key is None

    def _refuse_tag(self, event: Any) -> None:
        if event.tag is not None:
            raise DocumentError(
                f"the tag {shorten(event.tag.replace('tag:yaml.org,2002:', '!!'))} is not used in workload documents",
                where=self._at(event),
                hint="write the value without a tag (a word that begins with `!`)",
            )

    def _at(self, event: Any, key: str | None = None) -> str:
        path: list[str | int] = []
        for frame in self._open:
            if isinstance(frame.node, Listing):
                path.append(len(frame.node.items))
            elif frame.key is not None:
                path.append(frame.key)
        if key is not None:
            path.append(key)
        place = f"{self.where}, line {event.start_mark.line + 1}"
        return f"{place}, {show_path(tuple(path))}" if path else place


def _plain(node: Node, done: dict[int, Any]) -> Any:
    if isinstance(node, Scalar):
        return node.text
    if id(node) not in done:
        if isinstance(node, Keyed):
            done[id(node)] = {key: _plain(value, done) for key, (_, value) in node.entries.items()}
        elif isinstance(node, Listing):
            done[id(node)] = [_plain(value, done) for value in node.items]
    return done[id(node)]
