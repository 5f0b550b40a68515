"""Renews what depends on the native weights: the fitted constants in the weight file, and the native log-odds and
combined probabilities of the golden file. What the decoder says stays as `golden.py` wrote it. Standard library only.

    renew.py config WEIGHTS FIT VERSION OUT    writes the weight file with the constants that fit.py found

    renew.py rows GOLDEN OUT         writes the messages as rows for `dump_text --hybrid MODELS OUT DUMPED`
    renew.py golden GOLDEN WEIGHTS DUMPED    writes GOLDEN again
"""

import hashlib
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


def config(weights):
    """The fitted constants in the header of the weight file."""
    return json.loads(header_of(weights)[0]["__metadata__"]["config"])


def with_fit(weights, fit, version):
    """The weight file's bytes with other constants and of another version."""
    header, tensors = header_of(weights)
    about = header["__metadata__"]
    rounded = {name: {key: round(value, 6) for key, value in one.items()} for name, one in fit["combine"].items()}
    thresholds = {name: round(sigmoid(found["both"]), 6) for name, found in fit["thresholds"].items()}
    constants = json.loads(about["config"]) | {"combine": rounded, "thresholds": thresholds}
    if languages := fit.get("languages"):
        constants["languages"] = languages
    about |= {"version": version, "config": json.dumps(constants, separators=(",", ":"))}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + tensors


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
        mixed.append(
            sigmoid(
                weights["native"] * log_odds
                + weights["decoder"] * logit
                + weights["bias"]
                - (lost if name in ABUSE else 0)
            )
        )
    # Harms that the decoder does not know are the native model's.
    mixed += [sigmoid(log_odds) for log_odds in whole[len(decoder) :]]
    return row | {"native": [round(value, 6) for value in native], "combined": [round(value, 6) for value in mixed]}


def main():
    match sys.argv[1:]:
        case ["config", weights, fit, version, out]:
            made = with_fit(weights, json.loads(pathlib.Path(fit).read_text()), version)
            pathlib.Path(out).write_bytes(made)
            print(out, hashlib.sha256(made).hexdigest())
        case ["rows", golden, out]:
            save(out, [{"id": row["id"], "text": row["message"], "src": "golden", "chat": 1} for row in lines(golden)])
        case ["golden", golden, weights, dumped]:
            fitted, said = config(weights), {row["id"]: row for row in lines(dumped)}
            save(golden, [renewed(row, said[row["id"]], fitted) for row in lines(golden)])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
