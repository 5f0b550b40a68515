"""Writes the hybrid model's own contrast rows: contrast/train.jsonl, contrast/dev.jsonl (to fit on) and
contrast/test.jsonl.

Lures without links against honest talk about the same things, and hate against what merely names the same people:
negation, identity, counter-speech, quoting, reporting. Templates and fills live in contrast/templates.txt; a template
goes to train or dev (4 : 1) by a hash of its own text, with all of its fills. The test rows have templates of their
own, contrast/test.txt. Standard library only, deterministic.

Refuses to write a row to train on whose folded text is one of those that the cards report on, in contrast/test.jsonl or
in training/text/contrast/test.jsonl.
"""

import collections
import hashlib
import json
import pathlib
import random
import re

HERE = pathlib.Path(__file__).resolve().parent
LABELS = ("toxic", "harassment", "hate", "sexual", "violence", "self_harm", "spam", "scam")
FILLS = {"train": 8, "dev": 6, "test": 3}
DISGUISED = 0.15  # share of fills written in disguise as well


def digest(*parts):
    return int.from_bytes(hashlib.sha256("\x1f".join(parts).encode()).digest()[:8], "big")


def fold(text):
    return " ".join(re.sub(r"[^\w]+", " ", text.lower()).split())


def read(path):
    """Pools of fills, and templates as (family, labels, text)."""
    pools, templates, into = {}, [], None
    for line in path.read_text("utf-8").splitlines():
        if not line.strip() or line.startswith("# "):
            continue
        if line.startswith("@@ "):
            into = pools.setdefault(line[3:].strip(), [])
        elif line.startswith("== "):
            family, *names = line[3:].split()
            labels = dict.fromkeys(LABELS, 0)
            for name in names:
                if name.rstrip("?") in labels:
                    labels[name.rstrip("?")] = None if name.endswith("?") else 1
                elif name != "clean":
                    raise SystemExit(f"unknown label {name}")
            into = (family, labels)
        elif isinstance(into, list):
            into.append(line.strip())
        else:
            templates.append((*into, line.strip()))
    return pools, templates


def fill(text, pools, rng):
    while True:
        match = re.search(r"\{([^{}]*)\}", text)
        if not match:
            return " ".join(text.split())
        body = match.group(1)
        choice = rng.choice(body.split("|") if "|" in body else pools[body])
        text = text[: match.start()] + choice + text[match.end() :]


def surface(text, rng):
    """The small carelessness of chat."""
    if rng.random() < 0.5:
        text = text.lower()
    if rng.random() < 0.4:
        text = text.rstrip(".!")
    if rng.random() < 0.25:
        text = text.replace("'", "")
    if rng.random() < 0.2:
        text = text.replace("you ", "u ").replace("your ", "ur ")
    if rng.random() < 0.15:
        text = rng.choice(["@user ", "hey ", "guys ", "lol ", "so "]) + text
    if rng.random() < 0.1:
        text += rng.choice(["!!", " :)", " fr", " tbh", " lol", "..."])
    return text


LEET = {"a": "4@", "e": "3", "i": "1!", "o": "0", "s": "5$", "t": "7"}
TWINS = dict(zip("aceopxiy", "асеорхіу"))


def disguise(text, rng):
    way = rng.randrange(4)
    words = text.split()
    longest = sorted(range(len(words)), key=lambda at: -len(words[at]))[: max(2, len(words) // 3)]
    for at in longest:
        word = words[at]
        if way == 0:
            word = "".join(rng.choice(LEET[c.lower()]) if c.lower() in LEET and rng.random() < 0.6 else c for c in word)
        elif way == 1 and word.isalpha():
            word = rng.choice([" ", ".", "-"]).join(word)
        elif way == 2:
            word = "".join(TWINS.get(c, c) if rng.random() < 0.6 else c for c in word)
        elif word.isalpha():
            where = rng.randrange(len(word))
            word = word[:where] + word[where] * rng.randint(3, 5) + word[where + 1 :]
        words[at] = word
    return " ".join(words)


def folded(path):
    return {fold(json.loads(line)["text"]) for line in path.read_text("utf-8").splitlines()}


def write(name, side_of, refused):
    pools, templates = read(HERE / "contrast" / name)
    seen, rows, counts = set(refused), collections.defaultdict(list), collections.Counter()
    for family, labels, template in templates:
        side = side_of(template)
        rng = random.Random(digest("fill", template))
        wanted = FILLS[side] if "{" in template else 2
        texts = []
        for _ in range(wanted * 3):
            text = surface(fill(template, pools, rng), rng)
            if fold(text) not in seen and len(texts) < wanted:
                seen.add(fold(text))
                texts.append(text)
        texts += [disguise(text, rng) for text in texts if side != "test" and rng.random() < DISGUISED]
        for text in texts:
            row = {
                "id": f"hybrid-{digest(family, text):016x}",
                "text": text,
                "family": f"hybrid_{family}",
                "lang": "en",
            }
            rows[side].append({**row, **labels, "chat": 1})
        counts[side, family] += len(texts)
    for side, lines in rows.items():
        lines.sort(key=lambda row: row["id"])
        out = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in lines)
        (HERE / "contrast" / f"{side}.jsonl").write_text(out, "utf-8")
    for (side, family), count in sorted(counts.items()):
        print(side, family, count)


def main():
    write("test.txt", lambda template: "test", set())
    reported = folded(HERE / "contrast" / "test.jsonl") | folded(HERE.parent / "text" / "contrast" / "test.jsonl")
    write("templates.txt", lambda template: "dev" if digest("hybrid", template) % 5 == 0 else "train", reported)


if __name__ == "__main__":
    main()
