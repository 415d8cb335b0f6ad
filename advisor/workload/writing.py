"""A document written out again: as YAML for people, and in one canonical form for hashing."""

import json
from typing import Any

from advisor.workload.document import Document


def document_data(document: Document) -> dict[str, Any]:
    """The document as plain data that reads back as an equal document: what was left out stays out, quantities carry units.

    Amounts of money stand in USD, whatever currency they were given in.
    """
    return document.model_dump(mode="json", exclude_defaults=True)


def document_to_yaml(document: Document) -> str:
    """The document as YAML, keys in the order of the records."""
    # The fast dumper exists only where PyYAML was built with libyaml; documents are short.
    import yaml

    data = document_data(document)
    return yaml.dump(data, Dumper=yaml.SafeDumper, sort_keys=False, allow_unicode=True, width=120)


def canonical_json(document: Document) -> str:
    """One text for all documents that say the same: keys sorted, no spaces. Equal documents have equal text, and only they."""
    return json.dumps(document_data(document), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def document_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of a document: keys, choices, ranges and the units that texts carry."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Document.model_json_schema()}
