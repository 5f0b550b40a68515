"""Servers that speak as much of the platforms' APIs as the bots use, and write down what the bots do."""

from .discord import ScriptedDiscord
from .discourse import ScriptedDiscourse
from .matrix import ScriptedMatrix
from .platform import Call, ScriptedPlatform
from .telegram import ScriptedTelegram

__all__ = ["Call", "ScriptedDiscord", "ScriptedDiscourse", "ScriptedMatrix", "ScriptedPlatform", "ScriptedTelegram"]
