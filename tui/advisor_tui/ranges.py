"""Ranges as people write them: the unit once, where both ends have the same."""


def written_range(low: str, high: str) -> str:
    """Two values joined, as "69.2 – 70.8 GiB"; where their units differ, both keep them."""
    if low == high:
        return low
    low_number, _, low_unit = low.partition(" ")
    _, _, high_unit = high.partition(" ")
    alike = low_unit.rstrip("s") == high_unit.rstrip("s") or {low_unit, high_unit} == {"person", "people"}
    return f"{low_number if alike else low} – {high}"
