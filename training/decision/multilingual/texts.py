"""Tokenises rows of the decision data folders for a `dataset.Builder`."""

import functools

import data
import render
import values

from . import base

PREFIX = "query: "  # what the base was trained with
BEGIN, END, UNKNOWN, MASK = 0, 2, 3, 250_001
MOST_TOKENS = 508  # of a text; longer ones are cut


@functools.cache
def tokenizer():
    return base.tokenizer()


@functools.lru_cache(maxsize=200_000)
def read(text):
    """(ids, values) of a text: `<s>`, the prefix, the text, `</s>`; values as (token, kind, value). A special token
    that the text spells out becomes <unk>."""
    encoded = tokenizer().encode(PREFIX + text, add_special_tokens=False)
    ids = [UNKNOWN if t < UNKNOWN or t == MASK else t for t in encoded.ids[: MOST_TOKENS - 2]]
    return (BEGIN, *ids, END), values_at(encoded.offsets[: len(ids)], values.values(text))


def values_at(offsets, found):
    """(token, kind, value) of the tokens that belong to values. found: (start, end, kind, value) in the text without
    prefix, in order."""
    out = []
    at = 0
    for n, (start, end) in enumerate(offsets if found else ()):
        start -= len(PREFIX)
        end -= len(PREFIX)
        while at < len(found) and found[at][1] <= start:
            at += 1
        if at < len(found) and found[at][0] < end and end > start:
            out.append((n + 1, *found[at][2:]))
    return tuple(out)


def encode(builder, row, **columns):
    """A row for `Builder.unit`. columns: group, lang, and denial, pair if any."""
    options = render.render_options(row["type"], row["criteria"])
    question = render.with_given(render.render_question(row["instructions"]), row.get("given"))
    target = [float(t) for t in data.target(row, options)]
    return {
        "state": builder.text(*read(render.render_state(row["state"]))),
        "question": builder.text(*read(question)),
        "kind": row["type"],
        "options": [builder.text(*read(text)) for _, text in options],
        "target": target,
        "label": target.index(max(target)),
        "source": row["source"],
        **columns,
    }


def cost(row):
    """Tokens of state, question and options."""
    parts = [render.render_state(row["state"]), render.render_question(row["instructions"])]
    parts += [text for _, text in render.render_options(row["type"], row["criteria"])]
    return sum(len(read(p)[0]) for p in parts)
