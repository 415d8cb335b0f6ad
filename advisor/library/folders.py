"""Where declared entries stand: what ships, and the user's folders laid over it."""

import os
from collections.abc import Iterator
from pathlib import Path

from advisor.errors import InputError, KnowledgeError

APPLICATION = "ai-infra-advisor"


def shipped_folders() -> tuple[Path, ...]:
    """knowledge/ and rules/ as they ship: inside the installed package, or beside it in a checkout. Raises KnowledgeError."""
    package = Path(__file__).resolve().parents[1]
    for base in (package / "_data", package.parent):
        if (base / "knowledge").is_dir() and (base / "rules").is_dir():
            return (base / "knowledge", base / "rules")
    raise KnowledgeError("the folders knowledge/ and rules/ are missing", where=str(package), hint="install the package again")


def user_folders(given: Path | None = None) -> tuple[Path, ...]:
    """Folders laid over what ships, in order: the user's configuration, ADVISOR_KNOWLEDGE, and one given for this run.

    Each is laid out like knowledge/, with rules in a folder rules/ of it. Raises InputError for one that is not a folder.
    """
    configured = config_folder() / "knowledge"
    folders = [configured] if configured.is_dir() else []
    for text in os.environ.get("ADVISOR_KNOWLEDGE", "").split(os.pathsep):
        if text:
            folders.append(_folder(Path(text), "the environment variable ADVISOR_KNOWLEDGE"))
    if given is not None:
        folders.append(_folder(given, "--knowledge"))
    return tuple(folders)


def cache_folder() -> Path:
    """Where compiled libraries are kept: ADVISOR_CACHE, or the user's cache folder."""
    if given := os.environ.get("ADVISOR_CACHE"):
        return Path(given)
    from platformdirs import user_cache_path

    return user_cache_path(APPLICATION, appauthor=False)


def config_folder() -> Path:
    """Where the user's settings and own entries stand: ADVISOR_CONFIG, or the user's configuration folder."""
    if given := os.environ.get("ADVISOR_CONFIG"):
        return Path(given)
    from platformdirs import user_config_path

    return user_config_path(APPLICATION, appauthor=False)


def files_of(folder: Path) -> Iterator[Path]:
    """The declared files below a folder, in a fixed order."""
    for directory, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith((".yaml", ".csv")) and not name.startswith("."):
                yield Path(directory, name)


def _folder(path: Path, told_by: str) -> Path:
    if not path.is_dir():
        raise InputError(f'"{path}" is not a folder', where=told_by, hint="name a folder laid out like knowledge/")
    return path
