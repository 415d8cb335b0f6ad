"""The two doors: a model from a file or folder, and from a configuration already parsed."""

from collections.abc import Mapping
from pathlib import Path

from advisor.catalogue.config.building import build_model
from advisor.catalogue.config.files import CONFIG_NAME, check_depth, name_of, read_files
from advisor.catalogue.model import Model
from advisor.errors import ModelConfigError


def read_config(path: Path) -> Model:
    """The model that a config.json, or the folder that holds one, describes; hf_quant_config.json beside it is read too.

    Raises ModelConfigError for anything else, saying what it is, where, and what to bring instead.
    """
    file, config, quantization = read_files(path)
    try:
        return build_model(config, name=name_of(file), where=file.name, quantization=quantization)
    except ModelConfigError as error:
        if error.where is not None and error.where.startswith(file.name):
            error.where = str(file) + error.where.removeprefix(file.name)
        raise


def model_from_config(config: Mapping[str, object], *, name: str, quantization: Mapping[str, object] | None = None) -> Model:
    """The model that a parsed configuration describes. quantization: the contents of hf_quant_config.json, where there is one.

    Raises ModelConfigError, naming the key, for what is lacking or contradictory.
    """
    check_depth(config, CONFIG_NAME)
    return build_model(config, name=name, where=CONFIG_NAME, quantization=quantization)
