"""What goes wrong, told once and clearly.

AdvisorError                     anything the advisor refuses, with what was given, expected and what to do
├── InputError                   the person's input (exit code 2, HTTP 4xx)
│   ├── DocumentError            a workload document or another file cannot be read as what it should be
│   ├── QuantityError            a number or unit that is not what the field means
│   ├── UnknownNameError         a name the catalogue does not have; carries the nearest ones
│   ├── AmbiguousNameError       a name with several meanings; carries them
│   └── ModelConfigError         a model's config.json lacks or contradicts something
├── KnowledgeError               an entry, rule or question that does not fit the library
├── FormulaError                 a formula that does not fit the registry, or facts that do not fit a formula
├── StoreError                   what is kept cannot be read, written or deleted
└── MissingExtraError            an optional part is not installed; names the pip install to run
"""

from collections.abc import Sequence


class AdvisorError(Exception):
    """Something the advisor refuses, told in one message.

    message: what is wrong, with what was given and what was expected.
    where: file, line, field or key it concerns, as the person would look for it.
    hint: what to do about it.
    """

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}\n  {self.hint}" if self.hint else text

    def at(self, where: str) -> "AdvisorError":
        """The same error, placed inside an outer file or field."""
        self.where = f"{where}, {self.where}" if self.where else where
        return self


class InputError(AdvisorError):
    """The person's input cannot be used as it is."""


class DocumentError(InputError):
    """A document cannot be read: its form, its keys or a value in it."""


class QuantityError(InputError):
    """A quantity is not a number in the unit the field needs."""


class UnknownNameError(InputError):
    """A name nobody has; `nearest` holds the spellings that come close, best first."""

    def __init__(self, message: str, *, nearest: Sequence[str] = (), where: str | None = None) -> None:
        hint = f"did you mean {_either(nearest)}?" if nearest else None
        super().__init__(message, where=where, hint=hint)
        self.nearest = tuple(nearest)


class AmbiguousNameError(InputError):
    """A name with several meanings; `meanings` holds the ids it may stand for, likeliest first."""

    def __init__(self, message: str, *, meanings: Sequence[str], where: str | None = None) -> None:
        super().__init__(message, where=where, hint=f"write one of: {', '.join(meanings)}")
        self.meanings = tuple(meanings)


class ModelConfigError(InputError):
    """A model's configuration file lacks something, or says something that cannot be."""


class KnowledgeError(AdvisorError):
    """A declared entry does not fit: names the file and the key."""


class FormulaError(AdvisorError):
    """A formula does not fit the registry, or a fact does not fit a formula."""


class StoreError(AdvisorError):
    """What is kept cannot be read, written or deleted; nothing kept before is lost by it."""


class MissingExtraError(AdvisorError):
    """An optional part is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the optional part {extra!r}, which is not installed",
            hint=f'run: pip install "ai-infra-advisor[{extra}]"',
        )
        self.extra = extra


def _either(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
