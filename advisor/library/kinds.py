"""The kinds of entry a library holds: which folder each stands in, which record reads it, and how its files are laid out."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import BaseModel

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.glossary import GlossaryTerm
from advisor.catalogue.launch import Launch
from advisor.catalogue.licence import Licence
from advisor.catalogue.model import Model
from advisor.catalogue.network import Network
from advisor.catalogue.preset import Preset
from advisor.catalogue.price import Price
from advisor.catalogue.server import Server
from advisor.catalogue.source import Source
from advisor.catalogue.storage import Storage
from advisor.catalogue.symptom import Symptom
from advisor.catalogue.training_tool import TrainingTool
from advisor.language.words import LanguageWords
from advisor.questionnaire.question import Question
from advisor.quote.part import Part
from advisor.quote.words import QuoteWords
from advisor.reasoning.rule import Rule

Form = Literal["mapping", "file", "table"]


@dataclass(frozen=True)
class Kind:
    """One kind of entry.

    form: mapping (a YAML file maps ids to entries), file (a YAML file is one entry, its id the file's stem or `id` key),
    table (a CSV file has a row an entry). root: the folder it stands in; named: whether people look it up by spelling.
    """

    name: str
    singular: str
    record: type[BaseModel]
    form: Form
    named: bool = True
    root: Literal["knowledge", "rules"] = "knowledge"


KINDS: tuple[Kind, ...] = (
    Kind("sources", "source", Source, "file", named=False),
    Kind("accelerators", "accelerator", Accelerator, "mapping"),
    Kind("models", "model", Model, "mapping"),
    Kind("formats", "weight format", Format, "mapping"),
    Kind("engines", "engine", Engine, "mapping"),
    Kind("launch", "launch setting", Launch, "mapping", named=False),
    Kind("training_tools", "training tool", TrainingTool, "mapping", named=False),
    Kind("efficiencies", "efficiency", Efficiency, "mapping", named=False),
    Kind("servers", "server", Server, "mapping"),
    Kind("networks", "network", Network, "mapping"),
    Kind("storage", "storage product", Storage, "mapping"),
    Kind("licences", "software licence", Licence, "mapping"),
    Kind("prices", "price", Price, "table", named=False),
    Kind("presets", "use-case preset", Preset, "mapping"),
    Kind("parts", "quoted part", Part, "mapping", named=False),
    Kind("quote_words", "language of quotes", QuoteWords, "file", named=False),
    Kind("questions", "question", Question, "file", named=False),
    Kind("symptoms", "symptom", Symptom, "mapping", named=False),
    Kind("glossary", "term", GlossaryTerm, "mapping", named=False),
    Kind("words", "language", LanguageWords, "file", named=False),
    Kind("rules", "rule", Rule, "file", named=False, root="rules"),
)

# Folders of measured tables: part of the knowledge and of its hash, read by advisor.evidence when they are asked for.
MEASURED_FOLDERS = ("measurements",)

# Files of a mapping kind that hold names instead of entries.
AMBIGUOUS_FILE = "ambiguous.yaml"
CLOSED_FILE = "closed.yaml"


@cache
def kind_of(record: type[BaseModel]) -> Kind:
    """The kind that a record reads."""
    return next(kind for kind in KINDS if kind.record is record)


def kind_named(name: str) -> Kind | None:
    """The kind that stands in a folder of this name."""
    return next((kind for kind in KINDS if kind.name == name), None)
