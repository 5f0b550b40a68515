"""Probabilities of rows as the engine computes them with the multilingual network: windows of the state, groups of
options, temperatures."""

import os
import tempfile

import data
import numpy as np
import render
from predict import combine, probabilities

from . import base, dataset, evaluate, texts
from .batches import PREFIX

BESIDE = 110  # tokens that `data.windows` leaves room for: a state of up to 401 tokens is read whole
GROUP = 384  # most tokens of a question and a group of two or more options


def state_windows(text):
    """[(ids, values)] of the windows of a state."""
    encoded = texts.tokenizer().encode(texts.PREFIX + text, add_special_tokens=False)
    before, after = (texts.BEGIN, *encoded.ids[: PREFIX - 1]), (texts.END,)
    found = {at: rest for at, *rest in texts.values_at(encoded.offsets, texts.values.values(text))}
    own = list(range(PREFIX - 1, len(encoded.ids)))
    out = []
    for part in data.windows(own, BESIDE):
        ids = [texts.UNKNOWN if t < texts.UNKNOWN or t == texts.MASK else t for t in (encoded.ids[i] for i in part)]
        values = [(PREFIX + n, *found[i + 1]) for n, i in enumerate(part) if i + 1 in found]
        out.append(((*before, *ids, *after), tuple(values)))
    return out


def joining(text):
    return len(texts.read(text)[0]) - PREFIX


def groups(question, options):
    """Lists of (index, text) of the options, sorted by text, in groups that fit beside the question."""
    out, used = [], 0
    for i, text in sorted(enumerate(options), key=lambda o: o[1]):
        if not out or used + joining(text) > GROUP:
            out.append([])
            used = joining(question)
        out[-1].append((i, text))
        used += joining(text)
    return out


class Cases:
    """Rows of one data set: every window and group of each question."""

    def __init__(self):
        self.builder = dataset.Builder()
        self.questions = []  # (type, options, windows, [[option indices]])

    def add(self, question, state):
        options = [text for _, text in render.render_options(question["type"], question["criteria"])]
        asked = render.with_given(render.render_question(question["instructions"]), question.get("given"))
        parts = groups(asked, options)
        windows = state_windows(render.render_state(state))
        for window in windows:
            for part in parts:
                self.builder.unit([self.row(question, asked, window, [text for _, text in part])])
        self.questions.append((question["type"], len(options), len(windows), [[i for i, _ in part] for part in parts]))

    def row(self, question, asked, window, options):
        return {
            "state": self.builder.text(*window),
            "question": self.builder.text(*texts.read(asked)),
            "kind": question["type"],
            "options": [self.builder.text(*texts.read(text)) for text in options],
            "target": [1.0] + [0.0] * (len(options) - 1),
            "label": 0,
            "group": "g",
            "lang": "l",
            "source": "s",
        }

    def dataset(self):
        arrays, about = self.builder.arrays()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.npz")
            dataset.save(path, arrays, about)
            return dataset.Dataset(path)


def all_probabilities(net, config, rows, words):
    """[probability of each option] of (question, state) pairs. words: the embeddings of a vocabulary (`words_of`)."""
    cases = Cases()
    for question, state in rows:
        cases.add(question, state)
    data_set = cases.dataset()
    net.words = words(data_set.vocabulary)
    found = evaluate.scores(net, data_set, range(len(data_set)), tokens=2048)
    out, at = [], 0
    for kind, count, windows, parts in cases.questions:
        logits = [np.zeros(count) for _ in range(windows)]
        for window in logits:
            for part in parts:
                window[part] = found[at]
                at += 1
        out.append(probabilities(combine(logits, config["windows"]), kind, config["temperatures"]))
    return out
