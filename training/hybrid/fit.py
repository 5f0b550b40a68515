"""Fits, for each head, combined log-odds = a * native + b * decoder + c with a, b >= 0.

As the server combines them: a row counts by its worst part (whole, sentence, pair, stretch), so the part is chosen by
the constants so far and the constants are fitted on the parts chosen, in turns. On text_dev, on the contrast rows kept
back from the training of both models, and on the hybrid's own dev rows. b = 0, a = 1, c = 0 where
five-fold cross-validation says that the decoder does not help; b is lowered in quarters where either the public rows or
the contrast rows would lose average precision against native alone. Refuses to read devtest or any test row.
"""

import argparse
import json
import pathlib

import numpy as np
from metrics import ABUSE, HARMS, Rows, ap, best_threshold, log_loss, severity, sigmoid
from scipy.optimize import minimize

TURNS = 8
# The weight of a contrast row relative to a public one, as in `train_text`: nearly half of them are harmful, far more
# than messages are.
CONTRAST = 0.6
# The share of a language's harmless rows that may be acted upon, one row in any case, and the steps in which abuse
# loses log-odds until no more are.
FALSE_ALARMS, STEP = 0.0075, 0.1
# What hybrid may lose of the native log-odds of a harm, and the share of harmless rows that may be acted upon more, and
# the average precision that may be lost, for each harm. The smallest loss that keeps to both is taken.
KEEP, MORE_ALARMS, LESS_AP = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0), 0.0005, 0.002
# Of `domain/src/operations/moderation/policy.rs`: WORDS_FLOOR, SCAM_OFFSET.
SCAM_FLOOR, SCAM_OFFSET = -5.0, -0.5
# Fewer positives do not judge a fit: of 21, one row moves the average precision by .02.
LEAST_POSITIVES = 30
ALONE = {"native": 1.0, "decoder": 0.0, "bias": 0.0}


def logistic(x, truth, offset, start, mass):
    """Non-negative slopes and an intercept of the logistic regression on the columns of x, beside a fixed part; `mass`:
    the rows' weights."""
    mass = mass / mass.sum()

    def loss(w):
        z = x @ w[:-1] + w[-1] + offset
        error = mass * (sigmoid(z) - truth)
        return mass @ (np.logaddexp(0, z) - truth * z) + 1e-6 * (w @ w), np.append(x.T @ error, error.sum()) + 2e-6 * w

    bounds = [(0, None)] * x.shape[1] + [(None, None)]
    return minimize(loss, np.array(start), jac=True, method="L-BFGS-B", bounds=bounds).x


def fitted(rows, head, on, decoder=None):
    """{native, decoder, bias} from the rows `on`; with `decoder`, its weight is given."""
    weights = {"native": 0.5, "decoder": 0.5 if decoder is None else decoder, "bias": 0.0}
    truth, mass = rows.labels[on, head], np.where(rows.ours[on], CONTRAST, 1.0)
    for _ in range(TURNS):
        part = rows.worst(head, weights)[on]
        read = ~np.isnan(rows.part_decoder[part, head])
        native, said, penalty = (
            values[part][read] for values in (rows.part_native[:, head], rows.part_decoder[:, head], rows.penalty)
        )
        if decoder is None:
            found = logistic(np.stack([native, said], 1), truth[read], -penalty, list(weights.values()), mass[read])
            found = dict(zip(weights, map(float, found)))
        else:
            a, c = logistic(
                native[:, None], truth[read], decoder * said - penalty, [weights["native"], weights["bias"]], mass[read]
            )
            found = {"native": float(a), "decoder": decoder, "bias": float(c)}
        moved = max(abs(found[key] - weights[key]) for key in weights)
        weights = found
        if moved < 1e-4:
            break
    return weights


def combine(rows, head):
    """{native, decoder, bias} for one head and what cross-validation says of it."""
    on = np.flatnonzero(rows.known(head))
    truth = rows.labels[on, head]
    native = rows.native[on, head]
    if truth.sum() < 10:
        return ALONE, {"positives": int(truth.sum())}
    folds = np.array([hash_of(rows.rows[at]["id"]) for at in on]) % 5
    both = np.zeros(len(on))
    for fold in range(5):
        both[folds == fold] = rows.combined(head, fitted(rows, head, on[folds != fold]))[on[folds == fold]]
    said = {
        "positives": int(truth.sum()),
        "ap_native": ap(truth, native),
        "ap_both": ap(truth, both),
        "loss_native": log_loss(truth, native),
        "loss_both": log_loss(truth, both),
    }
    if said["ap_both"] < said["ap_native"] or said["loss_both"] > said["loss_native"]:
        return ALONE, said
    weights = fitted(rows, head, on)
    most = weights["decoder"]
    ours = rows.ours[on]
    strata = [part for part in (ours, ~ours) if truth[part].sum() >= LEAST_POSITIVES]
    for share in (1.0, 0.75, 0.5, 0.25):
        if share < 1:
            weights = fitted(rows, head, on, share * most)
        both = rows.combined(head, weights)[on]
        if all(ap(truth[part], both[part]) >= ap(truth[part], native[part]) - 0.002 for part in strata):
            said["share"] = share
            return weights, said
    return ALONE, said


def alarms(rows, combine, benign):
    """How many of these rows are acted upon, links, raids and the native model's own harms aside."""
    policy = severity()
    threat = np.zeros(len(rows.rows))
    for head, name in enumerate(HARMS):
        logit = rows.combined(head, combine[name])
        if name == "scam":
            logit = np.maximum(logit, SCAM_FLOOR) + SCAM_OFFSET
        threat += policy["severity"][name] * sigmoid(logit) ** 2
    return int((threat[benign] > policy["steps"][0]).sum())


def lost_by_language(rows, combine):
    """What abuse loses in each language in which more of the harmless public rows than that are acted upon, as
    `training::calibration` has it for the native model."""
    abuse = [HARMS.index(name) for name in ABUSE]
    harmless = (
        ~rows.ours & ~(rows.labels == 1).any(1) & ((rows.labels[:, abuse[0]] == 0) | (rows.labels[:, abuse[2]] == 0))
    )
    harmless &= ~np.isnan(rows.decoder[:, 0])
    tags, found = rows.part_language[rows.starts], {}
    for tag in sorted(set(tags[harmless])):
        benign = harmless & (tags == tag)
        most = max(1, int(benign.sum() * FALSE_ALARMS))
        for lost in np.arange(0, 5, STEP):
            rows.lose({tag: lost})
            if alarms(rows, combine, benign) <= most:
                break
        if lost:
            found[str(tag)] = round(float(lost), 1)
        rows.lose({})
    return found


def kept(rows, combine):
    """`combine` with what each harm keeps of the native log-odds."""
    harmless = ~(rows.labels == 1).any(1) & (rows.labels[:, HARMS.index("toxic")] == 0)
    for head, name in enumerate(HARMS):
        if not combine[name]["decoder"]:
            continue
        known = rows.known(head)
        truth = rows.labels[known, head]
        least = ap(truth, rows.combined(head, combine[name])[known]) - LESS_AP
        most = alarms(rows, combine, harmless) + MORE_ALARMS * harmless.sum()
        for keep in KEEP:
            tried = combine | {name: combine[name] | {"keep": keep}}
            ranked = ap(truth, rows.combined(head, tried[name])[known])
            if ranked >= least and alarms(rows, tried, harmless) <= most:
                combine = tried
                break
    return combine


def hash_of(name):
    return sum(ord(char) * 31 ** (at % 7) for at, char in enumerate(name))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("rows", type=pathlib.Path, nargs="+", help="what `dump_text --hybrid` wrote of dev rows")
    parser.add_argument("--languages", action="store_true", help="find what abuse loses in some languages")
    parser.add_argument(
        "--rarer",
        nargs="*",
        default=[],
        help="log-odds by which harms are rarer in traffic than in these rows: 1 of all, hate=.2 of one",
    )
    arguments = parser.parse_args()
    if any("test" in file.name for file in arguments.rows):
        parser.error("nothing is fitted on test rows")
    rarer = {name: float(lost) for name, _, lost in (text.rpartition("=") for text in arguments.rarer)}
    rows = Rows(arguments.rows)
    made = {"rows": len(rows.rows), "combine": {}, "cross_validated": {}, "thresholds": {}, "decoder_alone": {}}
    for head, name in enumerate(HARMS):
        weights, said = combine(rows, head)
        if weights["decoder"]:
            weights["bias"] -= rarer.get(name, rarer.get("", 0.0))
        made["combine"][name], made["cross_validated"][name] = weights, said
        on = rows.known(head)
        truth = rows.labels[on, head]
        made["thresholds"][name] = {
            "native": best_threshold(truth == 1, rows.native[on, head]),
            "both": best_threshold(truth == 1, rows.combined(head, weights)[on]),
        }
        on &= ~np.isnan(rows.decoder[:, head])
        alone = logistic(
            rows.decoder[on, head][:, None],
            rows.labels[on, head],
            0.0,
            [1.0, 0.0],
            np.where(rows.ours[on], CONTRAST, 1.0),
        )
        made["decoder_alone"][name] = list(map(float, alone))
        print(name, {k: round(v, 4) for k, v in weights.items()}, {k: round(float(v), 4) for k, v in said.items()})
    made["combine"] = kept(rows, made["combine"])
    print("kept", {name: weights.get("keep") for name, weights in made["combine"].items()})
    if arguments.languages:
        made["languages"] = lost_by_language(rows, made["combine"])
        print("lost by language", made["languages"])
    arguments.out.write_text(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
