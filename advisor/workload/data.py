"""The data a workload reads and keeps: how much, how sensitive, where it may lie and for how long."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from advisor.catalogue.record import Record
from advisor.units import number
from advisor.workload.quantities import ContextTokens, Period, Quantity, Samples, Size, Tokens
from advisor.workload.refusal import refusal, show_given
from advisor.workload.traffic import Growth
from advisor.workload.words import Choice, Flag, Name, Place, one_or_many

Sensitivity = Literal["public", "internal", "confidential", "personal", "regulated", "secret"]
Location = Literal["local", "network", "object-storage", "database"]
Copies = Annotated[int, Quantity("1", 1, 100, "nobody keeps more copies", "2", whole=True)]
Width = Annotated[int, Quantity("1", 1, 1e6, "embeddings have up to some thousand numbers", "1024", whole=True)]


class Data(Record):
    """What the workload reads and keeps.

    size: of all of it, as stored. documents, tokens: the same counted; chunk_tokens, chunk_overlap, vector_width: how it is cut
    and embedded for retrieval. residency: where it must stay (a country, a region, `on-premises`). retention: how long prompts
    and answers are kept, log_retention: logs. location: where it is read from. prompts_logged: whether logs hold full prompts.
    shared_tenancy: whether others use the same machines.
    """

    size: Size | None = None
    documents: Samples | None = None
    tokens: Tokens | None = None
    chunk_tokens: ContextTokens | None = None
    chunk_overlap: Annotated[float, Quantity("token", 0, 1e6, "it is a part of a chunk", "50")] | None = None
    vector_width: Width | None = None
    growth_per_year: Growth | None = None
    copies: Copies | None = None
    location: Annotated[Location, Choice(get_args(Location), (("nvme", "local"), ("object-store", "object-storage")))] | None = (
        None
    )
    sensitivity: Annotated[Sensitivity, Choice(get_args(Sensitivity))] | None = None
    residency: Annotated[tuple[Place, ...], BeforeValidator(one_or_many)] = ()
    retention: Annotated[float, Quantity("second", 0, 3.2e9, "plans look a hundred years ahead at most", "90 days")] | None = None
    log_retention: Period | None = None
    prompts_logged: Annotated[bool, Flag()] | None = None
    shared_tenancy: Annotated[bool, Flag()] | None = None

    @model_validator(mode="after")
    def _chunks_move_on(self) -> "Data":
        if self.chunk_tokens is not None and self.chunk_overlap is not None and self.chunk_overlap >= self.chunk_tokens:
            raise refusal(
                f"chunk_overlap ({number(self.chunk_overlap)}) is not less than chunk_tokens ({number(self.chunk_tokens)})",
                hint="each chunk must go on beyond the one before it",
                field="chunk_overlap",
            )
        return self


class Dataset(Record):
    """What a run trains or evaluates on, counted in tokens or in samples; or, for images and the like, also in bytes.

    Written `{tokens: 200M}`, `{samples: 50k, tokens_per_sample: 700}`, or short, `200M tokens`.
    """

    tokens: Tokens | None = None
    samples: Samples | None = None
    tokens_per_sample: ContextTokens | None = None
    size: Size | None = None
    name: Name | None = None

    @property
    def all_tokens(self) -> float | None:
        """Tokens of one pass over it, where they are known."""
        if self.tokens is None and self.samples is not None and self.tokens_per_sample is not None:
            return self.samples * self.tokens_per_sample
        return self.tokens

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        if isinstance(given, int | float) and not isinstance(given, bool):
            given = str(given)
        if not isinstance(given, str):
            return given
        count, _, unit = given.strip().partition(" ")
        if unit in ("token", "tokens"):
            return {"tokens": given}
        if unit in ("sample", "samples"):
            return {"samples": count}
        raise refusal(
            f"{show_given(given)} may count tokens or samples",
            hint="write {tokens: 200M}, or {samples: 50k, tokens_per_sample: 700}",
        )

    @model_validator(mode="after")
    def _counts_agree(self) -> "Dataset":
        if self.tokens is not None and self.samples is not None and self.tokens_per_sample is not None:
            product = self.samples * self.tokens_per_sample
            if abs(product - self.tokens) > 0.01 * self.tokens:
                raise refusal(
                    f"{number(self.tokens, 6)} tokens is given, but {number(self.samples, 6)} samples of "
                    f"{number(self.tokens_per_sample, 6)} tokens make {number(product, 6)}",
                    hint="leave one of the three out",
                    field="tokens",
                )
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        text = {"type": "string", "description": "a number of tokens or samples, such as 200M tokens"}
        return {"anyOf": [text, handler(schema)]}
