"""Renews what depends on the native weights: the fitted constants beside the weight file, and the native log-odds and
combined probabilities of the golden file. What the decoder says stays as `golden.py` wrote it. Standard library only.

    renew.py fit FIT VERSION OUT     writes the constants that fit.py found as the engine reads them
    renew.py rows GOLDEN OUT         writes the messages as rows for `dump_text --hybrid MODELS OUT DUMPED`
    renew.py golden GOLDEN WEIGHTS FIT DUMPED    writes GOLDEN again
"""

import json
import math
import pathlib
import sys

# The harms that a language penalty lowers, as in `metrics.py`.
ABUSE = ("toxic", "harassment", "hate")


def lines(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text("utf-8").splitlines()]


def save(path, rows):
    pathlib.Path(path).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def header_of(weights):
    """The header of a safetensors file, and its tensors' bytes."""
    whole = pathlib.Path(weights).read_bytes()
    end = 8 + int.from_bytes(whole[:8], "little")
    return json.loads(whole[8:end]), whole[end:]


def config(weights, fit):
    """The constants in the header of the weight file, with the fitted ones."""
    return json.loads(header_of(weights)[0]["__metadata__"]["config"]) | json.loads(pathlib.Path(fit).read_text())


def fit_file(fit, version):
    """The fitted constants as the engine reads them beside the weight file."""
    rounded = {
        name: {key: round(value, 6) for key, value in sorted(one.items())} for name, one in fit["combine"].items()
    }
    thresholds = {name: round(sigmoid(found["both"]), 6) for name, found in fit["thresholds"].items()}
    constants = {"version": version, "combine": rounded, "thresholds": thresholds}
    if languages := fit.get("languages"):
        constants["languages"] = languages
    return json.dumps(constants, indent=1) + "\n"


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def renewed(row, said, fitted):
    """`native` is what the native model answers, which may be a part's; `combined` is of the message as a whole."""
    native, whole = said["native"], said["parts"][0]["native"]
    decoder = row["decoder"][str(row["steps"])]
    lost = fitted.get("languages", {}).get(said["parts"][0]["language"], 0)
    mixed = []
    for name, log_odds, logit in zip(fitted["harms"], whole, decoder):
        weights = fitted["combine"][name]
        both = weights["native"] * log_odds + weights["decoder"] * logit + weights["bias"]
        both = max(both, log_odds - weights.get("keep", math.inf))
        mixed.append(sigmoid(both - (lost if name in ABUSE else 0)))
    # Harms that the decoder does not know are the native model's.
    mixed += [sigmoid(log_odds) for log_odds in whole[len(decoder) :]]
    return row | {"native": [round(value, 6) for value in native], "combined": [round(value, 6) for value in mixed]}


def main():
    match sys.argv[1:]:
        case ["fit", fit, version, out]:
            pathlib.Path(out).write_text(fit_file(json.loads(pathlib.Path(fit).read_text()), version))
        case ["rows", golden, out]:
            save(out, [{"id": row["id"], "text": row["message"], "src": "golden", "chat": 1} for row in lines(golden)])
        case ["golden", golden, weights, fit, dumped]:
            fitted, said = config(weights, fit), {row["id"]: row for row in lines(dumped)}
            save(golden, [renewed(row, said[row["id"]], fitted) for row in lines(golden)])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
