"""Our own families of typed decisions: rows made from templates, their answers computed by code.

`rows(n, split, seed)` gives about n rows of each family. Long lists of values and templates keep a part back from
train (`Gen.pick`); rows of `dev` and `calib` are made from the parts kept back half of the time, and from other seeds.
`registry.py` lists the families. No row is taken from anybody; sentences are in `banks.py` and in the modules of the
families.
"""
import hashlib
import random
import zlib

from .base import Gen
from .registry import FAMILIES, FIRST, FOURTH, HELD, SECOND, THIRD

__all__ = ["FAMILIES", "FIRST", "FOURTH", "HELD", "SECOND", "THIRD", "balance", "half", "held", "hide", "rows", "taught"]

LONG_SHARE = 0.12


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
