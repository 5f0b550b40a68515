"""Texts of a question: how a state, a question and its options are written before they are tokenised.

The Rust engine must produce the same strings, byte for byte; `golden_render.jsonl` (written by `python render.py`)
holds the cases both are tested on.

Numbers: integers as their digits; others as serde_json prints an f64 (shortest digits that read back; an exponent,
without `+` ever changing its value, outside 1e-5 .. 1e16). A number written as `1.0` stays `1.0`, one as `-0.0` stays `-0.0`.
Refuses nothing: every JSON value has a rendering, and nothing is cut.
"""
import json
import re


def number(x):
    """A JSON number as serde_json (its `zmij`/`ryu` printer) writes it."""
    if isinstance(x, int):
        return str(x) if -(2**63) <= x < 2**64 else number(float(x))
    text = repr(x)
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if not digits:
        return sign + "0.0"
    # point: where the decimal point stands, counted from the first digit
    if len(digits) <= point <= 16:
        return f"{sign}{digits}{'0' * (point - len(digits))}.0"
    if 0 < point <= 16:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -5 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    exp = point - 1
    exp_text = f"e{'' if exp < 0 else '+'}{exp}"
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + exp_text


def scalar(x):
    if x is None:
        return "null"
    if x is True:
        return "true"
    if x is False:
        return "false"
    if isinstance(x, str):
        return x
    return number(x)


def is_scalar(x):
    return not isinstance(x, (dict, list))


def _walk(path, x, out):
    """Appends (path, text) for every leaf below x, in order."""
    if is_scalar(x):
        out.append((path, scalar(x)))
    elif isinstance(x, dict):
        if not x:
            out.append((path, "{}"))
        for k, v in x.items():
            _walk(f"{path}.{k}" if path else k, v, out)
    elif not x:
        out.append((path, "[]"))
    elif all(is_scalar(v) for v in x):
        out.append((path, ", ".join(scalar(v) for v in x)))
    else:
        out.append((path, " | ".join(f"[{i}] {_inline(v)}" for i, v in enumerate(x))))


def _pairs(x, joint):
    out = []
    _walk("", x, out)
    return joint.join(f"{p}: {t}" if p else t for p, t in out)


def _inline(x):
    return _pairs(x, ", ")


def render_state(state):
    """A state as text: a string as it is; an object as `key: value; nested.key: value`; an array of scalars as
    `a, b`; an array that holds anything else as `[0] key: value, key: value | [1] ...`; {} and [] as themselves."""
    return _pairs(state, "; ")


def render_question(instructions):
    """A string as it is, nothing as the empty string, any other JSON as a state."""
    if instructions is None:
        return ""
    return render_state(instructions)


def humanize(key):
    """`order_status`, `order-status`, `OrderStatus`, `orderStatus` -> words. A key of separators alone stays itself."""
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", key)
    text = re.sub(r"([A-Z])([A-Z][a-z])", r"\1 \2", text)
    text = " ".join(text.replace("_", " ").replace("-", " ").split())
    return text or key


def same_words(a, b):
    norm = lambda t: " ".join(t.lower().replace("_", " ").replace("-", " ").split())
    return norm(a) == norm(b)


def choice_option(key, description):
    if description is None or not description.strip() or same_words(key, description):
        return humanize(key)
    if same_words(humanize(key), description):
        return humanize(key)
    return f"{humanize(key)}: {description}"


def render_options(kind, criteria):
    """[(key, text)] in the order given. noul: `yes` then `no`; score: levels in order, keyed "0", "1", ..."""
    if kind == "choice":
        return [(k, choice_option(k, d)) for k, d in criteria.items()]
    if kind == "score":
        return [(str(i), f"{i}: {level}") for i, level in enumerate(criteria)]
    criteria = criteria or {}
    out = []
    for key, word in (("true", "yes"), ("false", "no")):
        d = criteria.get(key)
        out.append((key, word if d is None or not d.strip() or same_words(word, d) else f"{word}: {d}"))
    return out


def with_given(question, given):
    """The question with answers already committed: [(question text, rendered option)]."""
    if not given:
        return question
    said = "; ".join(f"{q} = {a}" for q, a in given)
    return f"{question} | given: {said}"


GOLDEN_STATES = [
    "", " ", "plain text", "Two\nlines\tand a tab", "ünïcödé ÀÉÎ 漢字 😀", "a: b; c | d, e", None, True, False,
    0, 1, -1, 42, 1.0, -0.0, 0.0, 0.1, 1e21, 1e20, 1e16, 1e15, 123456789012345680.0, 1.5e300, 5e-324, 1e-5, 1e-6,
    0.00001234, 0.000001234, 123.456, -2.5, 100.0, 9007199254740993, 18446744073709551615, -9223372036854775808,
    18446744073709551616, 1.7976931348623157e308, 3.14, 1e2, 12345678901234567.0, 1234567890123456.0, 0.3, 2.0e-7,
    {}, [], [[]], [{}], {"a": {}}, {"a": []}, {"": 1}, {"a": ""}, {"a.b": {"c": 1}}, {"a": None, "b": True, "c": False},
    {"offer_a": {"price": 284, "weight": 11}, "offer_b": {"price": 1.5, "weight": None}},
    {"deep": {"er": {"est": {"x": [1, 2, 3]}}}}, [1, 2, 3], ["a", "b"], [1, "a", None, True, 2.5], [None], [""],
    [{"name": "Emeka", "team": "infra"}, {"name": "Tomas", "team": "ops"}], [[1, 2], [3, 4]], [1, [2, 3], {"a": 4}],
    [{"a": {"b": 1, "c": [1, 2]}}], {"rows": [{"id": 1, "tags": ["x", "y"]}, {"id": 2, "tags": []}]},
    {"rows": [[1, 2], [{"z": 1}]]}, {"ключ": "значение", "键": "值"}, {"text": "line one\nline two", "n": 3},
    {"quote": "she said \"hi\"", "slash": "a\\b"}, {"Key With Space": 1, "camelCase": 2, "snake_case": 3},
    {"total": 1e21, "ratio": 0.1, "count": 1.0}, {"messages": [{"role": "user", "content": "hi"}, {"role": "bot", "content": ""}]},
    {"order": {"id": "A-17", "lines": [{"sku": "x", "qty": 2}, {"sku": "y", "qty": 1}], "paid": False}},
    [True, False], [1.0, 2.0], [[["deep"]]], {"a": [[], {}]}, {"e": "\u0301combining", "rtl": "שלום"}, "null", "true", "[1,2]",
    {"b": 1, "a": 2}, {"z": {"b": 1}, "y": 2, "z2": {"a": {"b": {}}}}, "\u200bzero width", {"x": " padded "},
]
GOLDEN_QUESTIONS = ["", "Is this spam?", None, {"task": "route", "team": ["a", "b"]}, ["one", "two"], 7, True, "Größe?", {"q": {}}, []]
GOLDEN_OPTIONS = [
    ("choice", {"order_status": None, "refund": "Money back", "other": ""}),
    ("choice", {"SearchCreativeWork": "search creative work", "BookRestaurant": None, "RateBook": "Rates a book"}),
    ("choice", {"getHTTPResponse": None, "XMLHttp": None, "a1B2": None, "ABC": None, "iPhone": None}),
    ("choice", {"_": None, "--": "dash", "__x__": None, " ": None, "": None}),
    ("choice", {"order-status": "Order Status", "order_status": "order-status", "ORDER": "order"}),
    ("choice", {"ÉtatCivil": None, "naïveBayes": None, "日本語": "Japanese", "😀": None}),
    ("choice", {"none_of_these": "No listed option applies", "card__arrival": None, "a  b": "a b"}),
    ("choice", {"tab\tkey": None, "new\nline": "x\ny", "k": "  padded  ", "blank": "   "}),
    ("score", ["low", "medium", "high"]), ("score", ["", "1: one"]), ("score", [f"level {i}" for i in range(10)]),
    ("noul", None), ("noul", {"true": "It is allowed", "false": None}), ("noul", {"true": "yes", "false": "No"}),
    ("noul", {"false": "not so"}), ("noul", {}), ("noul", {"true": " ", "false": "no way"}),
]


def golden():
    import random

    for s in GOLDEN_STATES:
        yield {"kind": "state", "input": s, "text": render_state(s)}
    for q in GOLDEN_QUESTIONS:
        yield {"kind": "question", "input": q, "text": render_question(q)}
    for kind, criteria in GOLDEN_OPTIONS:
        yield {"kind": "options", "type": kind, "input": criteria, "options": [list(o) for o in render_options(kind, criteria)]}
    yield {"kind": "given", "input": {"question": "Q?", "given": []}, "text": with_given("Q?", [])}
    given = [("Is it late?", "yes"), ("Team", "billing: Money")]
    yield {"kind": "given", "input": {"question": "Q?", "given": [list(g) for g in given]}, "text": with_given("Q?", given)}
    rng = random.Random(7)
    words = ["alpha", "Beta", "γάμμα", "order_id", "x-y", "", "12", "a b", "ünï"]

    def value(depth):
        pick = rng.random()
        if depth == 0 or pick < 0.45:
            return rng.choice([None, True, False, rng.randint(-999, 99999), rng.choice(words), rng.choice(words),
                               round(rng.uniform(-50, 50), 3), rng.uniform(0, 1) * 10 ** rng.randint(-12, 25)])
        if pick < 0.75:
            return {f"{rng.choice(words)}{rng.randint(0, 9)}": value(depth - 1) for _ in range(rng.randint(0, 4))}
        return [value(depth - 1) for _ in range(rng.randint(0, 4))]

    for _ in range(90):
        s = value(4)
        yield {"kind": "state", "input": s, "text": render_state(s)}


if __name__ == "__main__":
    import os

    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden_render.jsonl")
    with open(path, "w", encoding="utf-8") as f:
        for case in golden():
            f.write(json.dumps(case, ensure_ascii=False) + "\n")
