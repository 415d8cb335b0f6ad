"""The forms an answer can take, by what the caller accepts: JSON, text or Markdown."""

from enum import Enum

from fastapi import Request

from advisor.api.errors import refused
from advisor.workload.refusal import shorten


class Form(Enum):
    """A form by its media type."""

    json = "application/json"
    markdown = "text/markdown"
    text = "text/plain"


def form_wanted(request: Request) -> Form:
    """The form that Accept likes best; JSON where it says nothing or likes all the same. Raises Refused."""
    given = request.headers.get("accept", "*/*")
    best: tuple[float, int, Form] | None = None
    for order, form in enumerate(Form):
        liked = _liked(given, form.value)
        if liked > 0 and (best is None or (liked, -order) > best[:2]):
            best = (liked, -order, form)
    if best is None:
        raise refused(
            "not-acceptable",
            f'"{shorten(given)}" is given',
            where="Accept",
            hint=f"accept one of {', '.join(form.value for form in Form)}",
        )
    return best[2]


def _liked(given: str, media_type: str) -> float:
    """The weight of a media type, by the narrowest range that holds it; 0 where none does."""
    found = (-1, 0.0)
    for part in given.split(",")[:50]:
        name, *parameters = (each.strip().lower() for each in part.split(";"))
        narrow = (media_type, f"{media_type.partition('/')[0]}/*", "*/*")
        if name in narrow:
            found = max(found, (2 - narrow.index(name), _weight(parameters)), key=lambda each: each[0])
    return found[1]


def _weight(parameters: list[str]) -> float:
    for each in parameters:
        if each.startswith("q="):
            try:
                return min(1.0, max(0.0, float(each[2:])))
            except ValueError:
                return 0.0
    return 1.0


def in_other_forms(what: str) -> dict[str, object]:
    """The contents of an OpenAPI answer that comes as text and Markdown too."""
    return {form.value: {"schema": {"type": "string"}, "example": f"# {what}\n"} for form in Form if form is not Form.json}
