"""Figures in the text of a part: memory, capacity, power, ports, cores and the like, each in its base unit."""

import re

from advisor.quote.numbers import PLAIN_NUMBER, Mark, number_in
from advisor.quote.quote import AttributeValue
from advisor.units import parse

Attributes = dict[str, AttributeValue]

_SIZE = rf"({PLAIN_NUMBER})\s?([MGT])i?B?"
_COUNTED_SIZE = re.compile(rf"(?<![\w.,])(\d{{1,3}})\s*[x×*]\s*{_SIZE}(?![\w/])", re.IGNORECASE)
_SIZE_ALONE = re.compile(rf"(?<![\w.,-]){_SIZE}(?![\w/])", re.IGNORECASE)
_RATE = re.compile(rf"(?<![\w.,])({PLAIN_NUMBER})\s?([GTM])i?B/s(?:ec)?", re.IGNORECASE)
_WATTS = re.compile(rf"(?<![\w.,])({PLAIN_NUMBER})\s?(k?W)(?![\w/])")
# Capitals tell bits from bytes, so these are read as written.
_SPEED = re.compile(
    rf"(?<![\w.,])({PLAIN_NUMBER})\s?(?:(?:Gbit/s|Gb/s|GBit/s|gbit/s|Gbps|gbps|GbE|Gbe|GBE|GBASE\S*|Gb|[Gg])(?![\w/])|(T)(?:bit/s|b/s|bps))"
)
_CORES = re.compile(r"(?<![\w.,])(\d{1,4})\s?-?\s?(?:C(?![\w/])|cores?\b|Kerne\b|core\b)", re.IGNORECASE)
_PORTS = re.compile(
    r"(?<![\w.,])(\d{1,3})\s?(?:x\s*)?-?(?:ports?\b|P(?![\w])|Ports?\b)|(dual|twin|single|quad)[- ]?port", re.IGNORECASE
)
_PORTS_TIMES = re.compile(r"(?<![\w.,])(\d{1,3})\s*[x×]\s*(\d{2,4})\s*G", re.IGNORECASE)
_PORT_WORDS = {"single": 1.0, "dual": 2.0, "twin": 2.0, "quad": 4.0}
_UNITS = re.compile(r"(?<![\w.,])(\d{1,2})\s?(?:U|HE|RU)(?![\w.])")
_DDR = re.compile(r"(?<!G)\b(DDR[2345])(?:[- ](\d{4,5}))?", re.IGNORECASE)
_MODULE = re.compile(r"\b(L?RDIMM|UDIMM|SO-?DIMM|MRDIMM)\b", re.IGNORECASE)
_CONNECTOR = re.compile(r"\b(QSFP-?DD|QSFP112|QSFP56|QSFP28|QSFP\+?|SFP56|SFP28|SFP\+|OSFP|RJ-?45)(?![\w+])", re.IGNORECASE)
_INFINIBAND = {
    "xdr": 800.0,
    "ndr": 400.0,
    "ndr400": 400.0,
    "ndr200": 200.0,
    "hdr": 200.0,
    "hdr100": 100.0,
    "edr": 100.0,
    "fdr": 56.0,
}
_INFINIBAND_WORD = re.compile(r"\b(XDR|NDR(?:200|400)?|HDR(?:100)?|EDR|FDR)(?![\w])", re.IGNORECASE)
_PCIE = re.compile(r"PCI[- ]?e(?:xpress)?\s*(?:Gen\.?\s*)?([345])(?:\.0)?\b|\bGen\s?\.?([345])\b", re.IGNORECASE)
_WIDTH = re.compile(r"(?<![\w.])x(1|2|4|8|16)(?!\w)", re.IGNORECASE)
_MASS = re.compile(rf"(?<![\w.,])({PLAIN_NUMBER})\s?kg\b", re.IGNORECASE)
_COMPUTE = re.compile(
    rf"({PLAIN_NUMBER})\s?([TP])(?:FLOPS?|FLOP/s|OPS)\b(?:\s*(?:of\s*)?\(?(FP64|FP32|TF32|FP16|BF16|FP8|INT8|FP4|NVFP4))?",
    re.IGNORECASE,
)
_SXM = re.compile(r"\b(SXM\d?|HGX|OAM|NVLink|NVSwitch)\b", re.IGNORECASE)


def attributes_of(kind: str, text: str, decimal: Mark) -> Attributes:
    """What a part's text says of it; only figures that its kind has."""
    found: Attributes = {}
    reader = _READERS.get(kind)
    if reader is not None:
        reader(text, decimal, found)
    if (units := _UNITS.search(text)) and kind in ("server", "node", "storage_server", "system", "case", "rack"):
        found["units"] = float(units[1])
    if mass := _MASS.search(text):
        _put(found, "mass", number_in(mass[1], decimal))
    if generation := _PCIE.search(text):
        found["pcie"] = f"{generation[1] or generation[2]}.0"
    return found


def sizes_in(text: str, decimal: Mark) -> list[tuple[float, float]]:
    """Counts and sizes in bytes, as in "4x 6.4 TB"; a size without a count counts once."""
    found: list[tuple[float, float]] = []
    taken: list[tuple[int, int]] = []
    for match in _COUNTED_SIZE.finditer(text):
        size = _size(match[2], match[3], decimal)
        if size is not None:
            found.append((float(match[1]), size))
            taken.append(match.span())
    for match in _SIZE_ALONE.finditer(text):
        size = _size(match[1], match[2], decimal)
        if size is not None and not any(start <= match.start() < end for start, end in taken):
            found.append((1.0, size))
    return found


def speed_in(text: str, decimal: Mark) -> float | None:
    """The speed of a port in bytes per second: written out, or by its InfiniBand name."""
    if word := _INFINIBAND_WORD.search(text):
        return parse(f"{_INFINIBAND[word[1].lower()]} Gbit/s", "byte/second")
    best: float | None = None
    for match in _SPEED.finditer(text):
        value = number_in(match[1], decimal)
        if value is None:
            continue
        speed = parse(f"{value} {'Tbit' if match[2] else 'Gbit'}/s", "byte/second")
        best = speed if best is None else max(best, speed)
    return best


def _memory(text: str, decimal: Mark, found: Attributes) -> None:
    sizes = sizes_in(re.sub(r"\bDDR\d\S*", "", text, flags=re.IGNORECASE), decimal)
    if kind := _DDR.search(text):
        found["memory_type"] = kind[1].lower()
    if module := _MODULE.search(text):
        found["module"] = module[1].lower()
    if re.search(r"(?<!non-)(?<!non )\bECC\b", text, re.IGNORECASE):
        found["ecc"] = "yes"
    if re.search(r"\bnon-? ?ECC\b", text, re.IGNORECASE):
        found["ecc"] = "no"
    if not sizes:
        return
    count, size = sizes[0]
    if count > 1:
        found["modules"] = count
        found["memory"] = count * size
    else:
        found["module_size"] = size


def _drives(text: str, decimal: Mark, found: Attributes) -> None:
    sizes = sizes_in(text, decimal)
    if not sizes and (short := re.search(r"(?<![\w.,])(\d{1,2})\s?T\b", text)):
        sizes = [(1.0, parse(f"{short[1]} TB", "byte"))]
    if sizes:
        found["capacity"] = sum(count * size for count, size in sizes)
        found["modules"] = sum(count for count, _ in sizes)
    if re.search(r"\b(HDD|SATA disk|7[.,]?2k|SAS 7)\b", text, re.IGNORECASE):
        found["medium"] = "disk"
    elif re.search(r"NVMe|SSD|M\.2|U\.2|E3\.S|990 Pro|T70[05]", text, re.IGNORECASE):
        found["medium"] = "flash"
    if rate := _RATE.search(text):
        _put(found, "bandwidth", _rate(rate, decimal))


def _accelerator(text: str, decimal: Mark, found: Attributes) -> None:
    for count, size in sizes_in(text, decimal):
        if count == 1 and 4e9 <= size <= 1e12:
            found["memory"] = size
            break
    else:
        if short := re.search(r"(?<![\w.,])(\d{1,3})\s?G\b", text):
            found["memory"] = parse(f"{short[1]} GB", "byte")
    _watts(text, decimal, found)
    if rate := _RATE.search(text):
        _put(found, "bandwidth", _rate(rate, decimal))
    if fabric := _SXM.search(text):
        found["link"] = "nvlink" if fabric[1].upper() != "OAM" else "xgmi"
    if width := _WIDTH.search(text):
        found["width"] = f"x{width[1]}"
    for claim in _COMPUTE.finditer(text):
        value = number_in(claim[1], decimal)
        if value is not None:
            found["compute"] = parse(f"{value} {claim[2].upper()}FLOPS", "FLOP/second")
            if claim[3]:
                found["compute_format"] = claim[3].lower().replace("nvfp4", "fp4")


def _adapter(text: str, decimal: Mark, found: Attributes) -> None:
    speed = speed_in(text, decimal)
    _put(found, "port_speed", speed)
    if times := _PORTS_TIMES.search(text):
        found["ports"] = float(times[1])
    elif ports := _PORTS.search(text):
        found["ports"] = float(ports[1]) if ports[1] else _PORT_WORDS[ports[2].lower()]
    if connector := _CONNECTOR.search(text):
        found["connector"] = connector[1].lower().replace("-", "")


def _processor(text: str, decimal: Mark, found: Attributes) -> None:
    if threads := re.search(r"(?<![\w.,])(\d{1,4})\s?vCPUs?\b", text, re.IGNORECASE):
        found["cores"] = float(threads[1]) / 2  # clouds count threads, two to a core
    elif cores := _CORES.search(text):
        found["cores"] = float(cores[1])
    _watts(text, decimal, found)


def _board(text: str, decimal: Mark, found: Attributes) -> None:
    if slots := re.search(r"(\d{1,2})\s*[x×]\s*PCI", text, re.IGNORECASE):
        found["slots"] = float(slots[1])


def _supply(text: str, decimal: Mark, found: Attributes) -> None:
    _watts(text, decimal, found)
    if numbers := re.search(r"\b(\d)\s?\+\s?(\d)\b", text):
        found["spare_supplies"] = float(numbers[2])
        found["supplies_of_set"] = float(numbers[1]) + float(numbers[2])
    elif re.search(r"\bN\s?\+\s?1\b|redundan", text, re.IGNORECASE):
        found["spare_supplies"] = 1.0


def _server(text: str, decimal: Mark, found: Attributes) -> None:
    if gpus := re.search(r"(\d{1,2})[- ]?(?:x\s*)?(?:GPUs?|accelerators?|Beschleuniger)\b", text, re.IGNORECASE):
        found["gpus_per_server"] = float(gpus[1])
    _watts(text, decimal, found)


def _storage_server(text: str, decimal: Mark, found: Attributes) -> None:
    _drives(text, decimal, found)
    _adapter(text, decimal, found)


def _rack(text: str, decimal: Mark, found: Attributes) -> None:
    if size := re.search(r"(?<!\d)(\d{3,4})\s*(?:mm)?\s*[x×]\s*(\d{3,4})\s*mm", text, re.IGNORECASE):
        found["width_mm"] = min(float(size[1]), float(size[2]))
        found["depth_mm"] = max(float(size[1]), float(size[2]))


def _watts(text: str, decimal: Mark, found: Attributes) -> None:
    if watts := _WATTS.search(text):
        value = number_in(watts[1], decimal)
        if value is not None:
            found["power"] = parse(f"{value} {watts[2]}", "watt")


def _riser(text: str, decimal: Mark, found: Attributes) -> None:
    if width := _WIDTH.search(text):
        found["width"] = f"x{width[1]}"


def _size(number: str, prefix: str, decimal: Mark) -> float | None:
    value = number_in(number, decimal)
    return None if value is None else parse(f"{value} {prefix.upper()}B", "byte")


def _rate(match: re.Match[str], decimal: Mark) -> float | None:
    value = number_in(match[1], decimal)
    return None if value is None else parse(f"{value} {match[2].upper()}B/s", "byte/second")


def _put(found: Attributes, name: str, value: float | None) -> None:
    if value is not None:
        found[name] = value


_READERS = {
    "gpu": _accelerator,
    "system": _accelerator,
    "ram": _memory,
    "storage": _drives,
    "storage_server": _storage_server,
    "nic": _adapter,
    "dpu": _adapter,
    "hba": _adapter,
    "uplink": _adapter,
    "switch": _adapter,
    "cable": _adapter,
    "cpu": _processor,
    "motherboard": _board,
    "psu": _supply,
    "ups": _supply,
    "pdu": _supply,
    "server": _server,
    "node": _server,
    "cloud_node": _server,
    "rack": _rack,
    "riser": _riser,
}
