"""Saving the answers or a page: asks for a file name and writes it, wholly or not at all."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from advisor.errors import DocumentError
from advisor.workload.document import Document
from advisor.workload.writing import document_to_yaml

DEFAULT_NAME = "workload.yaml"


class SaveScreen(ModalScreen[Path | None]):
    """Gives the path that was written, or nothing. what: a workload document, or the text of a page."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Cancel", priority=True)]

    def __init__(self, what: Document | str, name: str = DEFAULT_NAME) -> None:
        super().__init__()
        self.what = what
        self.name_given = name
        self.overwrite: Path | None = None

    def compose(self) -> ComposeResult:
        with Vertical(classes="window small"):
            kind = "the plan as a web page" if isinstance(self.what, str) else "the answers as a workload document"
            yield Static(f"Save {kind} in", markup=False)
            yield Input(self.name_given, id="file")
            yield Static(id="file-problem", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(".window").border_title = "Save"
        self.query_one("#file").focus()

    @on(Input.Submitted, "#file")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            path = Path(event.value.strip() or self.name_given).expanduser()
        except RuntimeError:  # the home folder of somebody who is not here
            self._refuse(f'"{event.value.strip()}" names no folder')
            return
        if path.exists() and path != self.overwrite:
            self.overwrite = path if path.is_file() else None
            self._refuse(
                "There is such a file: enter again replaces it." if path.is_file() else "This is a folder: name a file in it."
            )
            return
        try:
            write_whole(self.what if isinstance(self.what, str) else document_to_yaml(self.what), path)
        except DocumentError as error:
            self._refuse(error.message)
            return
        self.dismiss(path)

    def action_close(self) -> None:
        """Return without saving."""
        self.dismiss(None)

    def _refuse(self, text: str) -> None:
        self.query_one("#file-problem", Static).update(Text(text))


def write_whole(text: str, path: Path) -> None:
    """Write a file wholly or not at all. Raises DocumentError where that fails."""
    try:
        with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            file.write(text)
        try:
            # Temporary files are their owner's alone; what is saved is like any other new file.
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(file.name, 0o666 & ~mask)
            os.replace(file.name, path)
        except OSError:
            Path(file.name).unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DocumentError(f"it cannot be written: {reason}", where=str(path)) from None
