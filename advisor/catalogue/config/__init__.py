"""The shape of a model from its Hugging Face config.json, counted exactly and without the model's code."""

from advisor.catalogue.config.reading import model_from_config, read_config

__all__ = ["model_from_config", "read_config"]
