"""Cross-checks over a whole library: what one entry names, another must be."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.catalogue.names import nearest
from advisor.catalogue.record import Citation
from advisor.errors import KnowledgeError
from advisor.questionnaire.question import Question, check_questions, declared_facts
from advisor.quote.facts import QUOTE_FACTS
from advisor.reasoning.candidate_facts import CANDIDATE_FACTS
from advisor.reasoning.checking import check_rules
from advisor.reasoning.rule import Rule, declared_by_rules


class _Declared(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def record(self) -> BaseModel: ...
    @property
    def place(self) -> str: ...
    @property
    def kind(self) -> Any: ...


class _Name(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def shown(self) -> str: ...
    @property
    def id(self) -> str | None: ...
    @property
    def note(self) -> str | None: ...


def check_references(entries: Sequence[_Declared], names: Sequence[_Name]) -> None:
    """Raise KnowledgeError for the first cited source, named accelerator or format, or spelling, that leads nowhere or twice."""
    ids: dict[str, set[str]] = {}
    for declared in entries:
        ids.setdefault(declared.kind.name, set()).add(declared.id)
    for declared in entries:
        for citation in _citations(declared.record):
            _exists(citation.source, ids.get("sources", set()), "source", declared)
        if isinstance(declared.record, Model):
            for named in (declared.record.format, declared.record.kv_format):
                if named is not None:
                    _exists(named, ids.get("formats", set()), "weight format", declared)
        accelerator = getattr(declared.record, "accelerator", None)
        if isinstance(accelerator, str) and not isinstance(declared.record, Accelerator):
            _exists(accelerator, ids.get("accelerators", set()), "accelerator", declared)
    _check_names(names, ids)
    _check_rules([declared.record for declared in entries])


def _check_rules(records: Sequence[BaseModel]) -> None:
    """Rules and questions name facts that something declares, with values those can have."""
    rules = [record for record in records if isinstance(record, Rule)]
    questions = [record for record in records if isinstance(record, Question)]
    facts = {**CANDIDATE_FACTS, **QUOTE_FACTS, **declared_by_rules(rules), **declared_facts(questions)}
    check_rules(rules, facts)
    check_questions(questions, facts)


def _check_names(names: Iterable[_Name], ids: dict[str, set[str]]) -> None:
    taken: dict[tuple[str, str], str] = {}
    for name in names:
        if name.id is not None and name.id not in ids.get(name.kind, set()):
            close = nearest(name.id, ids.get(name.kind, set()))
            raise KnowledgeError(
                f'the name "{name.shown}" stands for "{name.id}", which is no id',
                where=f"knowledge/{name.kind}",
                hint=f'did you mean "{close[0]}"?' if close else None,
            )
        if name.id is None or name.note is not None:
            continue
        earlier = taken.setdefault((name.kind, name.shown.casefold()), name.id)
        if earlier != name.id:
            raise KnowledgeError(
                f'the name "{name.shown}" stands for "{earlier}" and for "{name.id}"',
                where=f"knowledge/{name.kind}",
                hint="list it in ambiguous.yaml, and take it from the entries' aliases",
            )


def _exists(id: str, known: set[str], what: str, declared: _Declared) -> None:
    if id not in known:
        close = nearest(id, known)
        raise KnowledgeError(
            f'unknown {what} "{id}"',
            where=f"{declared.place}, {declared.id}",
            hint=f'did you mean "{close[0]}"?' if close else None,
        )


def _citations(value: object) -> Iterator[Citation]:
    if isinstance(value, Citation):
        yield value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _citations(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from _citations(item)
