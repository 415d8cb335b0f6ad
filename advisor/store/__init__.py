"""Plans, interviews, conversations and quotes that a person keeps, in one SQLite file of their own.

Nothing leaves it but by `export`. The file is readable by its owner alone, and ADVISOR_KEEP=off keeps nothing at all.
"""

from advisor.store.kept import Kept, KeptKind, Version
from advisor.store.place import keeps, store_folder
from advisor.store.store import Store, open_store

__all__ = ["Kept", "KeptKind", "Store", "Version", "keeps", "open_store", "store_folder"]
