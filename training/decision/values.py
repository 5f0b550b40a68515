"""Numbers, dates and clock times in a text, and their ranks in a sequence.

WordPiece breaks a number into digits, from which a model of this size does not learn which of two is the greater. So every token of a
value also carries its rank among the values of its kind in the question and the window of the state: an embedding of its own, added
like that of the position. `engine/src/decision/values.rs` is the same, and the golden file holds the ranks that both give.

Kinds: numbers (`1,234.5`, `-3`, `20k`, `3 million`; units are not read), clock times, dates with a year, dates without one.
"""
import re
from bisect import bisect_left

NUMBER, CLOCK, DATE, DAY = range(4)
RANKS = 64  # 0: no value; even: a value of the question or the state; odd: one of an option between them
HELD = 31  # the most values of a kind that have a rank of their own

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
MONTH = r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
# The first form that fits, at the first place where one does.
FORMS = [
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?",  # 2026-05-01T12:30:00
    r"(\d\d?)\.(\d\d?)\.(\d{4})",  # 1.5.2026
    rf"(\d\d?)(?:st|nd|rd|th)?\s(?:of\s)?{MONTH}\b\.?(?:,?\s(\d{{4}})\b)?",  # 1st of May 2026
    rf"{MONTH}\.?\s(\d\d?)(?:st|nd|rd|th)?\b(?:,?\s(\d{{4}})\b)?",  # May 1, 2026
    rf"{MONTH}\.?,?\s(\d{{4}})\b",  # May 2026
    r"(\d\d?):(\d\d)(?::(\d\d))?(?:\s?([ap])\.?m\b)?",  # 12:30, 9:05 am
    r"(\d\d?)\s?([ap])\.?m\b",  # 9 pm
    r"(\d+(?:,\d{3})*(?:\.\d+)?)(?:\s?(k|thousand|million|billion)\b)?",
]
TIMES = {"k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9}
PATTERN = re.compile("|".join(FORMS), re.I | re.A)


def day(year, month, number):
    return year * 372.0 + month * 31.0 + number


def seconds(hour, minute, second, half):
    if half:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    return hour * 3600.0 + minute * 60.0 + second


def value(groups):
    """(kind, value) of the groups of a match: of the one form of FORMS that fitted."""
    year, month, number, hour, minute, second = groups[0:6]
    if year:
        return DATE, day(int(year), int(month), int(number)) + seconds(int(hour or 0), int(minute or 0), int(second or 0), None) / 86400.0
    number, month, year = groups[6:9]
    if year:
        return DATE, day(int(year), int(month), int(number))
    for number, month, year in (groups[9:12], (groups[13], groups[12], groups[14]), ("0", groups[15], groups[16])):
        if month:
            month = MONTHS.index(month[:3].lower()) + 1
            return (DATE, day(int(year), month, int(number))) if year else (DAY, day(0, month, int(number)))
    hour, minute, second, half = groups[17:21]
    if hour:
        return CLOCK, seconds(int(hour), int(minute), int(second or 0), half)
    hour, half = groups[21:23]
    if hour:
        return CLOCK, seconds(int(hour), 0, 0, half)
    number, times = groups[23:25]
    return NUMBER, float(number.replace(",", "")) * TIMES[times.lower()] if times else float(number.replace(",", ""))


def is_word(char):
    return char.isascii() and (char.isalnum() or char == "_")


def values(text):
    """Every value of a text as (start, end, kind, value), in order. What a letter, a digit or `_` stands right before is part of a name."""
    out = []
    for m in PATTERN.finditer(text):
        start = m.start()
        if start and is_word(text[start - 1]):
            continue
        kind, number = value(m.groups())
        if kind == NUMBER and start and text[start - 1] == "-" and not (start > 1 and (is_word(text[start - 2]) or text[start - 2] == ")")):
            start, number = start - 1, -number
        out.append((start, m.end(), kind, number))
    return out


class Scales:
    """The sorted values of each kind."""

    def __init__(self, parts):
        held = [set(), set(), set(), set()]
        for part in parts:
            for v in part:
                if v:
                    held[v[0]].add(v[1])
        self.held = [sorted(h) for h in held]

    def rank(self, v):
        if not v:
            return 0
        held = self.held[v[0]]
        n, at = max(len(held), HELD), bisect_left(held, v[1])
        return 2 * (at * HELD // n) + (2 if at < len(held) and held[at] == v[1] else 1)
