"""Writes the cases that the engine is tested on: requests with the probabilities by the multilingual network alone.

    python -m multilingual.golden MODEL.safetensors STATE.npz OUT.jsonl

MODEL is the weight file, for its config; STATE the state file that it was made of. A line has `state`, `questions`
{key: {type, instructions, criteria}}, `probabilities` {key: {option: p}}, and `given` where a question carries answers
given before.
"""

import argparse
import json

import numpy as np
import render
import torch
from golden_cases import ANGER, CASES, ROUTE, SCAM, URGENT
from safetensors import safe_open

from . import evaluate, predict, weights

FOREIGN = (
    "Mir wurde das Abo zweimal abgebucht und niemand antwortet. Bitte bis 12:30 beheben!",
    "Me han cobrado dos veces 49,90 € y nadie contesta.",
    "La aplicación se cierra al abrir los ajustes.",
    "मुझसे दो बार पैसे लिए गए और कोई जवाब नहीं देता।",
    "二重に請求されました。今日中に直してください。",
    "لقد تم خصم المبلغ مرتين ولا أحد يرد",
    {"betreff": "Rechnung fehlt", "text": "Ich habe seit 3 Wochen keine Rechnung bekommen.", "tage": 21},
)
QUESTIONS = {
    "team": ROUTE,
    "urgent": URGENT,
    "anger": ANGER,
    "scam": SCAM,
    "wer": {
        "type": "choice",
        "instructions": "Worum geht es?",
        "criteria": {"geld": "Zahlungen und Rechnungen", "technik": "Fehler und Ausfälle"},
    },
}


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("state")
    a.add_argument("out")
    args = a.parse_args()
    torch.set_num_threads(1)
    evaluate.FAST_BFLOAT16 = False
    with safe_open(args.model, "pt") as f:
        config = json.loads(f.metadata()["config"])
    net = weights.load(None, args.state, np.arange(4, dtype=np.uint32)).eval()
    cases = [*CASES, *({"state": state, "questions": QUESTIONS} for state in FOREIGN)]
    asked = [
        ({**q, "given": case.get("given", {}).get(key)}, case["state"])
        for case in cases
        for key, q in case["questions"].items()
    ]
    found = iter(predict.all_probabilities(net, config, asked, lambda words: weights.words_for(None, words)))
    with open(args.out, "w", encoding="utf-8") as f:
        for case in cases:
            out = {**case, "probabilities": {}}
            for key, q in case["questions"].items():
                names = [name for name, _ in render.render_options(q["type"], q["criteria"])]
                out["probabilities"][key] = {n: round(float(p), 6) for n, p in zip(names, next(found))}
            f.write(json.dumps(out, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
