"""What is kept: a thing by name, with tags, and its versions, each with what made it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

KeptKind = Literal["plan", "interview", "conversation", "quote"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Version(_Part):
    """One state of a kept thing. number counts from 1. body: the thing itself as JSON text. source: the document it was made
    of, as the person wrote it. made_with: code, knowledge and rules by name. at: the moment it was kept, in UTC (ISO 8601).
    """

    number: int = Field(ge=1)
    body: str
    source: str | None = None
    made_with: dict[str, str] = Field(default_factory=dict)
    at: str


class Kept(_Part):
    """A kept thing. forked_from: the name of the one it was copied from, as it was called then. versions: oldest first."""

    kind: KeptKind
    name: str = Field(min_length=1, max_length=200)
    tags: tuple[str, ...] = ()
    forked_from: str | None = None
    versions: tuple[Version, ...] = Field(min_length=1)

    @property
    def latest(self) -> Version:
        """The newest version."""
        return self.versions[-1]


class Listed(_Part):
    """A kept thing without its content. at: the moment of its newest version."""

    kind: KeptKind
    name: str
    tags: tuple[str, ...]
    versions: int
    made_with: dict[str, str]
    at: str


class Shared(_Part):
    """The one file that things are shared in."""

    advisor_kept: Literal[1] = 1
    things: tuple[Kept, ...] = Field(min_length=1)
