"""Parts by their names and words: what a line is about, how many, and which entry."""

import pytest

from advisor.quote.recognising import Recogniser
from advisor.quote.statements import feeds_in, wanted_in

Parts = list[tuple[str, float, str | None]]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("4x RTX 4090 24G (triple fan)", [("gpu", 4, "rtx-4090")]),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition 96GB", [("gpu", 1, "rtx-pro-6000-bw-server")]),
        ("RTX 3090 Ti 24 GB", [("gpu", 1, "rtx-3090-ti")]),
        ("8x NVIDIA H100 80GB SXM5 server", [("server", 1, None), ("gpu", 8, "h100-sxm")]),
        ("2x GPU server, 8x H100 80GB SXM5", [("server", 2, None), ("gpu", 8, "h100-sxm")]),
        ("DGX H100", [("server", 1, "dgx_h100"), ("gpu", 8, "h100-sxm")]),
        ("1x 1600W T2 + 1x 1000W T2", [("psu", 1, None), ("psu", 1, None)]),
        ("EPYC 9354 32C", [("cpu", 1, "epyc-9005")]),
        ("Xeon Platinum 8480+ 56C", [("cpu", 1, "xeon-scalable-4")]),
        ("8x 64GB DDR5-5600 ECC RDIMM", [("ram", 8, None)]),
        ("Micron 7450 3.84TB x2", [("storage", 2, None)]),
        ("PCIe 4.0 riser x16", [("riser", 1, None)]),
        ("3 years NBD on-site support for 8x H100 servers", [("service", 1, None)]),
        ("Cables for RTX 4090", [("cable", 1, None)]),
        ("Gewährleistung 60 Monate vor Ort", [("service", 1, None)]),
        ("Netzteil 2000 W Titanium", [("psu", 1, None)]),
        ("a box of chocolates", [("unknown", 1, None)]),
    ],
)
def test_parts_of_a_line(recogniser: Recogniser, text: str, parts: Parts) -> None:
    found = recogniser.parts_of(text, ".")
    assert [(part.kind, part.count, part.id) for part in found] == parts


@pytest.mark.parametrize(
    ("text", "kind", "attribute", "value"),
    [
        ("ConnectX-7 400 Gb/s single-port", "nic", "port_speed", 50e9),
        ("dual-port 200 GbE", "nic", "ports", 2.0),
        ("NDR InfiniBand adapter", "nic", "port_speed", 50e9),
        ("273 GB/s", "gpu", "bandwidth", 273e9),
        ("2000W redundant supply (1+1)", "psu", "supplies_of_set", 2.0),
        ("1600 W Titanium", "psu", "power", 1600.0),
        ("1 x 3.84 TB + 3 x 7.68 TB NVMe", "storage", "capacity", 26.88e12),
        ("H100, 1979 TFLOPS BF16", "gpu", "compute", 1979e12),
        ("600x1200 mm rack", "rack", "width_mm", 600.0),
        ("8U server", "server", "units", 8.0),
        ("non-ECC UDIMM 48GB DDR5", "ram", "ecc", "no"),
    ],
)
def test_figures(recogniser: Recogniser, text: str, kind: str, attribute: str, value: float | str) -> None:
    part = recogniser.parts_of(text, ".", hint=kind)[0]
    assert part.attributes[attribute] == pytest.approx(value)


def test_a_name_with_several_meanings_keeps_them(recogniser: Recogniser) -> None:
    part = recogniser.parts_of("H100 80 GB", ".", hint="gpu")[0]
    assert (part.id, part.others) == ("h100-sxm", ("h100-pcie",))
    assert recogniser.parts_of("H100 80 GB PCIe", ".", hint="gpu")[0].others == ()
    assert recogniser.parts_of("V100 32 GB", ".", hint="gpu", context="NVLink 2")[0].id == "v100-sxm2-32"


@pytest.mark.parametrize(
    ("text", "feed"),
    [
        ("one 20A outlet (110-120V)", (1, 1, 20, 120)),
        ("US 15 A / 120 V", (1, 1, 15, 120)),
        ("220 V / 30 A circuit", (1, 1, 30, 220)),
        ("2x CEE 3x32A (A/B), 230/400 V", (2, 3, 32, 230)),
        ("2 x 3 x 32 A at 230 V", (2, 3, 32, 230)),
        ("2 x 3-phase 32 A feeds per rack", (2, 3, 32, 230)),
        ("two 15 A / 120 V circuits", (2, 1, 15, 120)),
        ("16 A", (1, 1, 16, 230)),
    ],
)
def test_feeds(text: str, feed: tuple[float, float, float, float]) -> None:
    said = {each.name: each.value for each in feeds_in(text, "here")}
    assert tuple(said[f"circuit_{name}"] for name in ("feeds", "phases", "current", "voltage")) == feed


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Llama 70B in fp16 plus the 405B quantised", [(70e9, 16), (405e9, 4.5)]),
        ("400B to 700B models at 4 bits", [(400e9, 4.5), (700e9, 4.5)]),
        ("an 8x22B model", [(176e9, None)]),
        ("quantised DeepSeek-V3 kept warm", [(671e9, 4.5)]),
        ("12B tokens over 3 epochs", []),
        ("90 GB/s and 40B/s", []),
    ],
)
def test_models_that_words_speak_of(text: str, wanted: list[tuple[float, float | None]]) -> None:
    assert [(each.parameters, each.bits) for each in wanted_in(text)] == wanted
