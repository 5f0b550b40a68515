"""Writes Gavel's own contrast sets: train.jsonl, test.jsonl and held.jsonl beside this file.

What it is: a small, deterministic generator. Hand-written sentences and
templates live in families/*.txt and languages/*.txt, slot fillers in
fillers.txt. Every template belongs to one side, train or test, by a hash of
its own text; fillers marked `split` (lure domains, links, names) are divided
the same way, so no template and no lure domain is on both sides. Files in
situations/ are on the train side, and files in held/ go to held.jsonl: whole
families that neither training nor any choice has met.

What it refuses to do: it does not download or read any outside data, does not
write two rows that are equal after lower-casing and white-space folding (nor
the same text on both sides), and stops on an unknown slot, an unknown label,
or a template written twice.

Usage:
    python3 build.py                      write both files, refresh README counts
    python3 build.py --overlap FILE ...   also count exact overlaps with other
                                          .jsonl or .jsonl.gz files ("text" field)

Template files:
    # a comment
    == toxic harassment spam?      labels of the lines below: named = 1,
                                   name? = null, all others 0; `clean` = all 0
    == lang=es toxic               a language code other than "en"
    == raw clean                   text is left exactly as written
    hey {user}, {look|see} {link}  {slot} and {one|of|these}; \\n is a new line
"""

import argparse
import collections
import gzip
import hashlib
import json
import pathlib
import random
import re
import sys
import unicodedata

HERE = pathlib.Path(__file__).resolve().parent
LABELS = (
    "toxic",
    "harassment",
    "hate",
    "sexual",
    "violence",
    "self_harm",
    "spam",
    "scam",
    "sexual_minors",
    "illicit",
    "extremism",
)
SEED = "gavel-contrast-1"
TRAIN_SHARE = 65  # percent of the templates
CAP = {"train": 4, "test": 3, "situations": 14, "held": 3}  # fills of a template that has slots
ENOUGH = 400  # fills of a family in situations/ beyond which each of its templates has no more than four
OBFUSCATED = {True: 0.55, False: 0.50}  # share of harmful, harmless templates
PLAIN_CAP = {"train": 3, "test": 2, "situations": 3, "held": 2}  # surface variants of one that has none

# What the older families may hold of a harm that their labels do not name.
UNSTATED = {"extremism": ("hate", "violence"), "illicit": ("scam", "spam")}

Template = collections.namedtuple("Template", "family lang labels text raw folder")


def digest(*parts):
    return int.from_bytes(hashlib.sha256("\x1f".join(parts).encode()).digest()[:8], "big")


def side_of(text, folder="families"):
    """train or test, from the text alone: adding lines never moves another."""
    if folder in ("situations", "held"):
        return {"situations": "train", "held": "held"}[folder]
    return "train" if digest("side", text) % 100 < TRAIN_SHARE else "test"


def fold(text):
    return " ".join(unicodedata.normalize("NFC", text).lower().split())


# --- reading ---------------------------------------------------------------


def read_fillers(path):
    pools, name, split = {}, None, False
    for line in path.read_text("utf-8").splitlines():
        if not line.strip() or line.startswith("# "):
            continue
        if line.startswith("== "):
            words = line[3:].split()
            name, split = words[0], "split" in words[1:]
            pools[name] = {"train": [], "test": []}
            continue
        for side in [side_of(line)] if split else ["train", "test"]:
            pools[name][side].append(line)
    for name, pool in pools.items():
        if not pool["train"] or not pool["test"]:
            sys.exit(f"filler pool {name} is empty on one side")
    return pools


def read_templates(path, family):
    lang, labels, raw = "en", None, False
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("# "):
            continue
        if line.startswith("== "):
            labels, raw, named = dict.fromkeys(LABELS, 0), False, set()
            for word in line[3:].split():
                name = word.rstrip("?")
                if word.startswith("lang="):
                    lang = word[5:]
                elif word == "raw":
                    raw = True
                elif name in labels:
                    labels[name] = None if word.endswith("?") else 1
                    named.add(name)
                elif word != "clean":
                    sys.exit(f"{path.name}:{number}: unknown label {word!r}")
            if path.parent.name in ("families", "languages"):
                for name, beside in UNSTATED.items():
                    if named.intersection(beside) and name not in named:
                        labels[name] = None
            continue
        if labels is None:
            sys.exit(f"{path.name}:{number}: text before the first == line")
        yield Template(family, lang, labels, line.rstrip(), raw, path.parent.name)


def read_all():
    templates, seen = [], {}
    files = [(p, p.stem) for p in sorted((HERE / "families").glob("*.txt"))]
    files += [(p, "languages") for p in sorted((HERE / "languages").glob("*.txt"))]
    files += [(p, p.stem) for folder in ("situations", "held") for p in sorted((HERE / folder).glob("*.txt"))]
    for path, family in files:
        for item in read_templates(path, family):
            key = fold(item.text)
            if key in seen:
                sys.exit(f"{path.name}: written twice (also in {seen[key]}): {item.text}")
            seen[key] = path.name
            templates.append(item)
    return templates


# --- filling ---------------------------------------------------------------

BRACES = re.compile(r"\{([^{}]*)\}")
OPEN, CLOSE = "\x01", "\x02"


def fill(text, pools, side, rng):
    def one(match):
        body = match.group(1)
        if "|" in body:
            return rng.choice(body.split("|"))
        if re.fullmatch(r"[a-z_]+", body):
            if body in MADE:
                return MADE[body](rng)
            if body not in pools:
                sys.exit(f"unknown slot {{{body}}} in: {text}")
            return rng.choice(pools[body]["test" if side == "held" else side])
        return OPEN + body + CLOSE  # braces that belong to the text (code)

    text = text.replace("\\n", "\n")
    while BRACES.search(text):
        text = BRACES.sub(one, text)
    return text.replace(OPEN, "{").replace(CLOSE, "}")


def _word(rng, alphabet, low, high):
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(low, high)))


ALNUM = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
MADE = {
    "code": lambda r: _word(r, ALNUM, 6, 10),
    "longcode": lambda r: _word(r, ALNUM, 16, 19),
    "hex": lambda r: _word(r, "0123456789abcdef", 7, 12),
    "num": lambda r: str(r.randint(2, 9)),
    "nn": lambda r: str(r.randint(11, 98)),
    "age": lambda r: str(r.randint(21, 59)),
    "nnn": lambda r: str(r.randint(101, 989)),
    "nnnn": lambda r: str(r.randint(1012, 9876)),
    "ver": lambda r: f"{r.randint(0, 6)}.{r.randint(0, 30)}.{r.randint(0, 9)}",
    "snowflake": lambda r: str(r.randint(10**17, 10**18)),
}

# --- surface variants ------------------------------------------------------

# Links, code, handles and Discord mentions are never altered.
KEEP = re.compile(
    r"(```.*?```|`[^`]*`|\[[^\]]*\]\([^)]*\)|https?://\S+|@\S+|<[@#:][^>]*>|:\w+:"
    r"|\b[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:/\S*)?)",
    re.DOTALL,
)


def outside(text, change):
    parts = KEEP.split(text)
    return "".join(p if i % 2 else change(p) for i, p in enumerate(parts))


def typo(text, rng):
    spots = [m.start() for m in re.finditer(r"(?<=[a-z])[a-z]{2}(?=[a-z])", text)]
    if not spots:
        return text
    at = rng.choice(spots)
    if rng.random() < 0.5:
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text[:at] + text[at + 1 :]


CODE = re.compile(r"[;{}|\\]|\$[ (]|</?\w+>|::|\(\)|\w=\w|ERR|error\[|Traceback|\n")


def surface(text, rng, turn, lang):
    """The same message as other people type it; the first turn is as written."""
    if turn == 0 or CODE.search(text):
        return text
    style = rng.random()
    if style < 0.40:
        text = outside(text, str.lower)
    elif style < 0.46:
        text = outside(text, str.upper)
    elif style < 0.56 and text[:1].islower() and not KEEP.match(text):
        text = text[0].upper() + text[1:]
    if rng.random() < 0.35:
        text = outside(text, lambda p: re.sub(r"[,'’]", "", p))
    if rng.random() < 0.20:
        first = KEEP.split(text)
        longest = max(range(0, len(first), 2), key=lambda i: len(first[i]))
        first[longest] = typo(first[longest], rng)
        text = "".join(first)
    end = rng.random()
    if end < 0.30:
        text = text.rstrip(".!")
    elif end < 0.50 and text[-1:].isalpha() and not KEEP.search(text.split()[-1]):
        text += rng.choice(["!", ".", "...", "!!", " !"])
    if rng.random() < 0.15 and not text.startswith("@"):
        greeted = lang != "en" or text.lower().startswith(("hey", "hi ", "hello"))
        text = rng.choice(["@user ", "@user ", "" if greeted else "hey ", "@user @user "]) + text
    return text


# --- obfuscation -----------------------------------------------------------

LEET = {"a": "4@", "e": "3", "i": "1!", "o": "0", "s": "5$", "t": "7+", "b": "8", "g": "9", "l": "1|"}
LOOKALIKE = dict(zip("aceiopxyjsABCEHIKMOPTX", "асеіорхујѕАВСЕНІКМОРТХ"))
ACCENT = dict(zip("aeioucnsyz", "äéïöüçñšýž"))


def _styled(upper, lower):
    return lambda w, r: "".join(
        chr(upper + ord(c) - 65) if "A" <= c <= "Z" else chr(lower + ord(c) - 97) if "a" <= c <= "z" else c for c in w
    )


def _map(table, share):
    return lambda w, r: "".join(r.choice(table[c]) if c in table and r.random() < share else c for c in w)


def _inside(marks):
    def change(word, rng):
        mark = rng.choice(marks)
        return mark.join(word)

    return change


def _vowel(word, rng):
    at = [i for i, c in enumerate(word) if c.lower() in "aeiou" and i > 0]
    if not at:
        return word
    i = rng.choice(at)
    return word[:i] + rng.choice("*#_") + word[i + 1 :]


def _stretch(word, rng):
    i = rng.randrange(len(word))
    return word[:i] + word[i] * rng.randint(3, 6) + word[i + 1 :]


STYLES = {
    "leet": _map(LEET, 0.75),
    "lookalike": _map(LOOKALIKE, 0.8),
    "accent": _map(ACCENT, 0.6),
    "zerowidth": _inside(["\u200b", "\u200d", "\u2060"]),
    "spaced": _inside([" "]),
    "dotted": _inside([".", "-", "_", "*", "|"]),
    "vowel": _vowel,
    "stretch": _stretch,
    "mixedcase": lambda w, r: "".join(r.choice((c.lower(), c.upper())) for c in w),
    "bold": _styled(0x1D400, 0x1D41A),
    "sans": _styled(0x1D5D4, 0x1D5EE),
    "fullwidth": _styled(0xFF21, 0xFF41),
}
WHOLE = {"mixedcase", "bold", "sans", "fullwidth"}  # people write whole lines so


def obfuscate(text, style, rng):
    change = STYLES[style]
    words = [m for part in KEEP.split(text)[::2] for m in re.findall(r"[A-Za-z]{3,}", part)]
    if not words:
        return text
    if style in WHOLE and rng.random() < 0.6:
        chosen = set(words)
    else:
        long = sorted(set(words), key=lambda w: (-len(w), w))[:6]
        chosen = set(rng.sample(long, max(1, len(long) * 2 // 3)))

    def swap(match):
        return change(match.group(), rng) if match.group() in chosen else match.group()

    return outside(text, lambda p: re.sub(r"[A-Za-z]{3,}", swap, p))


# --- rows ------------------------------------------------------------------


def link_share(item):
    """How often a later fill without a link gets an ordinary one at its end,
    so that having a link says little about any label."""
    if item.labels["spam"] != 0:
        return 0.0
    return 0.12 if any(item.labels.values()) else 0.35


def make_rows(templates, pools):
    rows, used = {"train": [], "test": [], "held": []}, set()

    def add(side, family, tag, item, text):
        text = text.strip()
        key = fold(text)
        if not key or key in used:
            return
        used.add(key)
        name = f"{tag}-{digest(text) % 16**10:010x}"
        rows[side].append({"id": name, "text": text, "family": family, "lang": item.lang, **item.labels, "chat": 1})

    sizes = collections.Counter(item.family for item in templates)
    for item in templates:
        side = side_of(item.text, item.folder)
        has_slot = bool(re.search(r"\{[a-z_]+\}|\{[^{}]*\|[^{}]*\}", item.text))
        cap = (CAP if has_slot else PLAIN_CAP)[item.folder if item.folder == "situations" else side]
        if item.folder == "situations":
            cap = min(cap, max(4, ENOUGH // sizes[item.family]))
        rng = random.Random(f"{SEED}:{item.text}")
        for turn in range(cap):
            text = fill(item.text, pools, side, rng)
            if not item.raw:
                text = surface(text, rng, turn, item.lang)
                if turn and rng.random() < link_share(item) and not URL.search(text):
                    text += " " + fill("{link}", pools, side, rng)
            add(side, item.family, item.family, item, text)
        if item.raw or item.family == "obfuscation" or item.lang in NOT_LATIN:
            continue
        if rng.random() < OBFUSCATED[any(item.labels.values())]:
            style = rng.choice(sorted(STYLES))
            text = fill(item.text, pools, side, rng)
            changed = obfuscate(text, style, rng)
            if changed != text:
                add(side, "obfuscation", f"obfuscation-{style}", item, changed)
    return rows


NOT_LATIN = {"ru", "uk", "hi", "ar", "ja", "zh", "ko"}


def write(rows):
    for side, items in rows.items():
        items.sort(key=lambda row: digest(SEED, row["id"]))
        with open(HERE / f"{side}.jsonl", "w", encoding="utf-8", newline="\n") as out:
            out.writelines(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in items)


URL = re.compile(
    r"https?://|\b[\w-]+\.(?:com|net|org|io|gg|gift|gifts|xyz|me|ru|top|dev|rs|site|link|app|club|info|ly|co)\b"
)


def label(row, name):
    """A row's label; `any` is 1 when one of them is."""
    return int(any(row[n] == 1 for n in LABELS)) if name == "any" else row[name]


def counts(templates, rows):
    """Markdown tables: families, then labels."""
    lines = ["| family | templates | train | test | held out | positives |", "|---|---|---|---|---|---|"]
    per = collections.Counter(t.family for t in templates)
    for family in sorted({r["family"] for side in rows.values() for r in side}):
        mine = {side: [r for r in rows[side] if r["family"] == family] for side in rows}
        both = [row for side in mine.values() for row in side]
        marks = ", ".join(f"{n} {c}" for n in LABELS if (c := sum(r[n] == 1 for r in both)))
        lines.append(
            f"| {family} | {per[family] or '(derived)'} | {len(mine['train'])} | {len(mine['test'])} | "
            f"{len(mine['held'])} | {marks or 'none'} |"
        )
    lines += [
        f"| **all** | {len(templates)} | {len(rows['train'])} | {len(rows['test'])} | {len(rows['held'])} | |",
        "",
    ]
    lines += [
        "| label | train 1 / 0 / null | test 1 / 0 / null | held out 1 / 0 / null | has a link: 1 / 0 |",
        "|---|---|---|---|---|",
    ]
    for name in (*LABELS, "any"):
        cells = []
        for side in ("train", "test", "held"):
            have = collections.Counter(label(r, name) for r in rows[side])
            cells.append(f"{have[1]} / {have[0]} / {have[None]}")
        share = []
        for wanted in (1, 0):
            group = [bool(URL.search(r["text"])) for s in rows.values() for r in s if label(r, name) == wanted]
            share.append(f"{100 * sum(group) / max(1, len(group)):.0f} %")
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {cells[2]} | {' / '.join(share)} |")
    langs = collections.Counter(r["lang"] for side in rows.values() for r in side)
    lines += ["", "Languages: " + ", ".join(f"{k} {v}" for k, v in langs.most_common()) + "."]
    divided = [t for t in templates if t.folder in ("families", "languages")]
    share = sum(side_of(t.text) == "train" for t in divided) / len(divided)
    lines += ["", f"Templates on the train side: {100 * share:.1f} %."]
    return "\n".join(lines)


def refresh_readme(table):
    path = HERE / "README.md"
    if not path.exists():
        return
    text = path.read_text("utf-8")
    start, end = "<!-- counts: written by build.py -->", "<!-- end of counts -->"
    if start in text and end in text:
        head, rest = text.split(start, 1)
        text = f"{head}{start}\n{table}\n{end}{rest.split(end, 1)[1]}"
        path.write_text(text, "utf-8")


def overlap(rows, files):
    mine = {fold(r["text"]): side for side, items in rows.items() for r in items}
    for name in files:
        hits = collections.Counter()
        with (gzip.open if name.endswith(".gz") else open)(name, "rt", encoding="utf-8") as source:
            for line in source:
                key = fold(json.loads(line)["text"])
                if key in mine:
                    hits[mine[key]] += 1
                    print(f"  {mine[key]}: {key[:90]}")
        print(f"{pathlib.Path(name).name}: {dict(hits) or 'no overlap'}")


def main():
    parser = argparse.ArgumentParser(description="Write Gavel's contrast sets.")
    parser.add_argument("--overlap", nargs="*", default=[], metavar="FILE")
    args = parser.parse_args()
    templates = read_all()
    rows = make_rows(templates, read_fillers(HERE / "fillers.txt"))
    both = {fold(r["text"]) for r in rows["train"]} & {fold(r["text"]) for r in rows["test"]}
    if both:
        sys.exit(f"{len(both)} texts on both sides")
    write(rows)
    table = counts(templates, rows)
    refresh_readme(table)
    print(table)
    overlap(rows, args.overlap)


if __name__ == "__main__":
    main()
