"""Streams and people: cameras, live transcription, and where to start when little is known."""

from advisor.chat.records import Part
from advisor.chat.situation import Situation
from advisor.chat.telling import Telling


def camera_streams(situation: Situation) -> Part | None:
    """How many camera streams a card takes, as ranges from experience."""
    if situation.trains or not (situation.seen.get("modality") == "vision" and situation.intent in ("size", "fits", "what-if")):
        return None
    return Telling(situation).told("camera-streams", verdict="not-applicable")


def live_speech(situation: Situation) -> Part | None:
    """How many people a card transcribes live, as ranges from experience."""
    if situation.seen.get("modality") not in ("speech", "audio") or situation.intent not in ("size", "fits", "what-if"):
        return None
    if situation.number("memory_per_process"):
        return None
    return Telling(situation).told("live-speech", verdict="not-applicable")


def where_to_start(situation: Situation) -> Part | None:
    """The order in which a plan is made, where little is known yet."""
    telling = Telling(situation)
    people = situation.number("people")
    if people:
        telling.words["people"] = f"{people:,.0f}"
    return telling.told("where-to-start", verdict="not-applicable")
