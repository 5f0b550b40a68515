"""CPU time per 100-character message: Gavel's native text engine against PyPI alt-profanity-check, in one run.

Both read the same 1,000 messages, made from the contrast test rows in this repository, one message at a time on one
thread; rounds alternate, medians are reported. Gavel's figure holds all of a verdict (links, harms, domain names,
signals, policy); the peer's is one probability. Needs the peer in the running Python (bench/text.sh sees to it) and
takes the path of the built `bench`. It measures time only and says nothing about quality.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = 7


def messages():
    rows = (ROOT / "training/text/contrast/test.jsonl").read_text("utf-8").splitlines()
    text = " ".join(" ".join(json.loads(row)["text"].split()) for row in rows if '"lang":"en"' in row)
    return [text[at : at + 100] for at in range(0, len(text) - 100, 100)][:1000]


def peer(texts, batch):
    from profanity_check import predict_prob

    predict_prob(texts[:10])
    start = time.process_time()
    if batch:
        predict_prob(texts)
    else:
        for text in texts:
            predict_prob([text])
    return (time.process_time() - start) * 1e6 / len(texts)


def main():
    texts = messages()
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("\n".join(texts))
        file.flush()
        ours, single, batch = [], [], []
        for _ in range(ROUNDS):
            ours.append(float(subprocess.check_output([sys.argv[1], "text", file.name])))
            single.append(peer(texts, False))
            batch.append(peer(texts, True))
    ours, single, batch = (statistics.median(times) for times in (ours, single, batch))
    print(
        f"{len(texts)} messages of 100 characters, median of {ROUNDS} alternating rounds, CPU microseconds a message\n"
    )
    print("| | CPU µs a message | times ours |")
    print("|---|---|---|")
    print(f"| Gavel native: whole verdict, one at a time | {ours:.1f} | 1 |")
    print(f"| alt-profanity-check: one at a time | {single:.1f} | {single / ours:.1f} |")
    print(f"| alt-profanity-check: all in one batch | {batch:.1f} | {batch / ours:.1f} |")


if __name__ == "__main__":
    main()
