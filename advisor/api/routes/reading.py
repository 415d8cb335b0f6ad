"""/docs: the OpenAPI document as a page for reading."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from advisor.api.reading_page import reading_page

router = APIRouter()

# The page holds no script and loads nothing; browsers are told to keep it so.
_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> HTMLResponse:
    """Every operation with its parameters, examples and answers."""
    return HTMLResponse(reading_page(request.app.openapi()), headers=_HEADERS)
