"""How long prompts and answers are: one number, or how it spreads."""

from itertools import pairwise
from typing import Annotated, Any

from pydantic import (
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic_core import CoreSchema

from advisor.catalogue.record import Record
from advisor.workload.quantities import Quantity
from advisor.workload.refusal import refusal

LengthTokens = Annotated[float, Quantity("token", 0, 1e8, "the longest context of any model is about ten million tokens", "4k")]


class Length(Record):
    """Tokens per request: a mean (what a plain number means), or percentiles of the requests, or both; and a longest one.

    Written as a number, or as a mapping of any of the four.
    """

    mean: LengthTokens | None = None
    p50: LengthTokens | None = None
    p95: LengthTokens | None = None
    max: LengthTokens | None = None

    @property
    def typical(self) -> float:
        """The mean, or the median where only percentiles are known, or the largest figure given."""
        given = (self.mean, self.p50, self.p95, self.max)
        return next(value for value in given if value is not None)

    @property
    def long(self) -> float:
        """The length that one request in twenty exceeds; where no spread is known, the typical one."""
        return self.p95 if self.p95 is not None else self.typical

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        return {"mean": given} if isinstance(given, str | int | float) and not isinstance(given, bool) else given

    @model_validator(mode="after")
    def _consistent(self) -> "Length":
        if self.mean is None and self.p50 is None and self.p95 is None and self.max is None:
            raise refusal("no length is given", hint="write a number of tokens, or {p50: 1000, p95: 4000}")
        spread = [(name, value) for name in ("p50", "p95", "max") if (value := getattr(self, name)) is not None]
        for (lower, below), (upper, above) in pairwise(spread):
            if above < below:
                raise refusal(
                    f"{upper} ({above:,.0f}) is less than {lower} ({below:,.0f})",
                    hint=f"{upper} is a length that fewer requests exceed, so it is the larger one",
                    field=upper,
                )
        if self.max is not None and self.mean is not None and self.max < self.mean:
            raise refusal(f"max ({self.max:,.0f}) is less than mean ({self.mean:,.0f})", field="max")
        return self

    @model_serializer(mode="wrap", when_used="json")
    def _short(self, written: SerializerFunctionWrapHandler) -> Any:
        full: dict[str, Any] = written(self)
        return full["mean"] if {key for key, value in full.items() if value is not None} == {"mean"} else full

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        number = {"type": "number", "minimum": 0}
        text = {"type": "string", "description": "a number of tokens, such as 4k"}
        return {"anyOf": [number, text, handler(schema)]}
