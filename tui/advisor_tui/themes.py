"""The colours to choose from: dark, light, and one with the strongest contrast. NO_COLOR turns all of them grey."""

from textual.theme import Theme

HIGH_CONTRAST = Theme(
    name="high-contrast",
    primary="#ffff00",
    secondary="#00ffff",
    accent="#00ffff",
    warning="#ffd700",
    error="#ff8080",
    success="#80ff80",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1a1a1a",
    boost="#262626",
    dark=True,
    variables={"primary-darken-1": "#ffff00", "text-muted": "#ffffff", "footer-key-foreground": "#ffff00"},
)
THEMES = ("textual-dark", "textual-light", HIGH_CONTRAST.name)


def following(theme: str) -> str:
    """The theme after this one; the first after any that is not among them."""
    return THEMES[(THEMES.index(theme) + 1) % len(THEMES)] if theme in THEMES else THEMES[0]
