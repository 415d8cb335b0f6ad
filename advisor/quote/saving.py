"""A reading written out as YAML, to be corrected by hand and checked again."""

from advisor.quote.quote import Quote


def reading_yaml(quote: Quote) -> str:
    """The reading under the key `reading`; what is left at its default stays out. Quantities are in base units."""
    import yaml

    data = {"reading": quote.model_dump(mode="json", exclude_defaults=True)}
    return yaml.dump(data, Dumper=yaml.SafeDumper, sort_keys=False, allow_unicode=True, width=120)
