"""The base of everything a plan holds."""

from pydantic import BaseModel, ConfigDict


class PlanRecord(BaseModel):
    """A frozen part of a plan."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
