"""Our own families of typed decisions: rows made from templates, their answers computed by code.

`rows(n, split, seed)` gives about n rows of each family. Long lists of values and templates keep a part back from
train (`Gen.pick`); rows of `dev` and `calib` are made from the parts kept back half of the time, and from other seeds.
FIRST are those of 1.0.0, SECOND those of 2.0.0, THIRD those after it, FOURTH those after 2.2.0, HELD those that no weights are trained on. No row is taken from anybody; sentences
are in `banks.py` and in the files of the families.
"""
import hashlib
import random
import zlib

import families_chains
import families_compare
import families_completeness
import families_conclusions
import families_conditions
import families_degrees
import families_foreign
import families_held
import families_held2
import families_json
import families_levels
import families_more
import families_negation
import families_passages
import families_policies
import families_presence
import families_reading
import families_records
import families_reply
import families_rules
import families_service
import families_systems
import families_text
import families_tools
import families_triage
import families_values
import families_wording
from families_base import Gen

LONG_SHARE = 0.12
FAMILIES = {**families_records.FAMILIES, **families_text.FAMILIES}
FIRST = set(FAMILIES)  # those that 1.0.0 was trained on
SECOND = {}
for _part in (families_negation, families_json, families_compare, families_levels, families_reply, families_rules, families_foreign, families_more):
    SECOND.update(_part.FAMILIES)
THIRD = {}
for _part in (families_service, families_degrees, families_wording, families_systems, families_policies, families_tools, families_reading, families_chains, families_passages, families_values):
    THIRD.update(_part.FAMILIES)
HELD = {**families_held.FAMILIES, **families_held2.FAMILIES, **families_foreign.HELD}  # families no weights are trained on
FOURTH = {}
for _part in (families_conclusions, families_completeness, families_conditions, families_triage, families_presence):
    FOURTH.update(_part.FAMILIES)
FAMILIES.update(SECOND)
FAMILIES.update(THIRD)
FAMILIES.update(FOURTH)
FAMILIES.update(HELD)


def taught():
    return set(FAMILIES) - set(HELD)


def half(name):
    """The half of a held-out family or task: every choice is made on `choose`, `report` is looked at once. By hash; 320 is the
    first number with which every kind of family has one in each half. Tasks made from one source go together."""
    return "choose" if hashlib.sha256(f"320 {name}".encode()).digest()[0] % 2 else "report"


def held(part):
    return {n for n in HELD if half(n) == part}


def balance(part, rng):
    """Drops yes/no rows of the more common answer until both are as common."""
    yes = [r for r in part if r["type"] == "noul" and r["label"]]
    no = [r for r in part if r["type"] == "noul" and not r["label"]]
    more, less = (yes, no) if len(yes) > len(no) else (no, yes)
    dropped = {id(r) for r in rng.sample(more, len(more) - len(less))}
    return [r for r in part if id(r) not in dropped]


def hide(g, part):
    """The same filler around every state of one group, so that pairs still differ in one place only."""
    filler, n = g.filler(6), g.rng.randint(2, 6)
    at = g.rng.randint(0, n)
    for r in part:
        if isinstance(r["state"], str):
            r["state"] = " ".join(filler[:at] + [r["state"]] + filler[at:n])
    return part


def rows(n, split, seed, only=None):
    """About n rows of each family. Rows of one draw stand one after another and share `group`; `pair` and `neg` are
    made unique. `split`: train, dev or calib; held-out families are drawn as dev."""
    out = []
    for name, make in FAMILIES.items():
        if only is not None and name not in only:
            continue
        g = Gen(random.Random(zlib.crc32(f"{name} {split} {seed}".encode())), "dev" if name in HELD else split)
        made, group, mine = 0, 0, []
        while made < n:
            part = make(g)
            if name in FIRST and g.coin(LONG_SHARE):
                part = g.lengthen(part)
            elif name not in FIRST and g.coin(0.05):
                part = hide(g, part)
            for r in part:
                r.update(source=f"family:{name}", split=split, license="own", group=f"{name}-{split}-{group}", id=f"{name}-{split}-{seed}-{made}")
                for key in ("pair", "neg"):
                    if key in r:
                        r[key] = f"{name}-{seed}-{group}-{r[key]}"
                made += 1
            group += 1
            mine += part
        out += balance(mine, g.rng) if name in FIRST else mine
    return out
