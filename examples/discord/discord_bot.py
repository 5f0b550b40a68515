#!/usr/bin/env python3
"""Moderates a Discord server with Gavel. The page docs/bot-discord.md says how to set it up.

Needs gavel-client and discord.py. Settings: DISCORD_TOKEN, DISCORD_LOG_CHANNEL (the id of the moderators' channel),
DISCORD_TIMEOUT_MINUTES (10), and those of `gavel_client.community.Settings`, such as GAVEL_API_KEY and GAVEL_DRY_RUN.
"""

import asyncio
import logging
import os
from datetime import timedelta

import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route
from gavel_client.community import Community, Message, Settings
from gavel_client.models import RecommendedAction
from yarl import URL

REASON = "Gavel"
WARNING = "your message was removed because it breaks the rules of this server."


class Bot(discord.Client):
    """Checks what members write and edit, except that of moderators: who may manage messages."""

    def __init__(self, settings: Settings, log_channel: int, timeout: timedelta) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, guild_reactions=True, message_content=True)
        super().__init__(intents=intents, chunk_guilds_at_startup=False, max_messages=None)
        self.community = Community(settings, self)
        self.log_channel = log_channel
        self.timeout = timeout
        self.work: asyncio.Task[None] | None = None

    async def setup_hook(self) -> None:
        self.work = asyncio.create_task(self.community.work())

    async def close(self) -> None:
        if self.work is not None:
            self.work.cancel()
        await super().close()
        await self.community.aclose()

    async def on_message(self, message: discord.Message) -> None:
        author = message.author
        if author.bot or not message.content or not isinstance(author, discord.Member):
            return
        if message.channel.permissions_for(author).manage_messages:
            return
        await self.community.check(
            Message(
                place=f"{author.guild.id}/{message.channel.id}/{message.id}/{author.id}",
                content=message.content,
                author=str(author.id),
                channel=str(message.channel),
                account_age_days=(discord.utils.utcnow() - author.created_at).days,
                mentions_count=len(message.mentions) + len(message.role_mentions),
                has_attachments=bool(message.attachments),
            )
        )

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        # Discord also reports as an edit that it has added the preview of a link.
        if payload.message.edited_at is not None:
            await self.on_message(payload.message)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        channel = self.get_channel(payload.channel_id)
        if payload.channel_id != self.log_channel or payload.member is None or payload.member.bot:
            return
        if not isinstance(channel, discord.TextChannel):
            return
        if channel.permissions_for(payload.member).manage_messages:
            taken = await self.community.react(str(payload.message_id), payload.emoji.name)
            if taken:
                await channel.get_partial_message(payload.message_id).add_reaction("👀")

    async def act(self, message: Message, action: RecommendedAction) -> None:
        guild_id, channel_id, message_id, author_id = (int(part) for part in message.place.split("/"))
        guild = self.get_guild(guild_id)
        if guild is None:
            raise LookupError(f"the bot is no longer in the server {guild_id}")
        channel = self.get_partial_messageable(channel_id, guild_id=guild_id)
        try:
            await channel.get_partial_message(message_id).delete()
        except discord.NotFound:
            pass  # The author or a moderator was faster.
        if action == "ban":
            await guild.ban(discord.Object(author_id), reason=REASON, delete_message_seconds=3600)
            return
        if action == "timeout":
            member = await guild.fetch_member(author_id)
            await member.timeout(self.timeout, reason=REASON)
        await channel.send(f"<@{author_id}>, {WARNING}")

    async def post(self, text: str) -> str:
        channel = self.get_partial_messageable(self.log_channel)
        # A quoted message must not ping anybody.
        sent = await channel.send(text, allowed_mentions=discord.AllowedMentions.none(), suppress_embeds=True)
        return str(sent.id)


def use_other_server(api: str, gateway: str) -> None:
    """For a proxy, or a scripted Discord."""
    Route.BASE = api
    DiscordWebSocket.DEFAULT_GATEWAY = URL(gateway)


def main() -> None:
    if "DISCORD_API_URL" in os.environ:
        use_other_server(os.environ["DISCORD_API_URL"], os.environ["DISCORD_GATEWAY_URL"])
    minutes = float(os.environ.get("DISCORD_TIMEOUT_MINUTES", "10"))
    channel = int(os.environ["DISCORD_LOG_CHANNEL"])
    bot = Bot(Settings.of_environment(), channel, timedelta(minutes=minutes))
    bot.run(os.environ["DISCORD_TOKEN"], log_level=logging.INFO, root_logger=True)


if __name__ == "__main__":
    main()
