"""Runs the measurements of bench/image.sh and prints their tables.

python3 bench/image/report.py PROGRAM MODELS WORK ROUNDS
"""

import json
import pathlib
import statistics
import subprocess
import sys

program, models, work, rounds = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
MODELS = ["nsfwjs-mobilenet-v2", "nsfwjs-mobilenet-v2-mid", "nsfwjs-inception-v3"]
DEFAULT = MODELS[1]
RUNTIMES = {"auto": "ONNX Runtime", "off": "rten"}
KINDS = ["photographs", "drawings", "emoji", "screenshots"]
THRESHOLDS = [0.3, 0.5, 0.7, 0.9]


def ours(command, model, runtime, listed, *more):
    return lines([program, "image", command, models, model, runtime, listed, *more])


def theirs(command, model, listed, *more):
    return lines(["node", "bench/image/nsfwjs.mjs", command, model, listed, *more])


def lines(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def scores(answers):
    return {answer["file"]: answer["scores"] for answer in answers}


def differences(one, other):
    return [max(abs(one[file][name] - other[file][name]) for name in one[file]) for file in one]


def parity():
    exact, jpeg = work / "exact.txt", work / "jpeg.txt"
    excluded = (work / "excluded.txt").read_text().splitlines()
    profile = [line.split(":")[0] for line in excluded if line.endswith("profile")]
    print(f"Left out: {len(excluded) - len(profile)} with transparency; with a colour profile: {', '.join(profile)}.\n")
    print("| model | runtime | pictures | largest difference | JPEG files, each side's own decoder: median, largest |")
    print("|---|---|---|---|---|")
    for model in MODELS:
        same, decoded = scores(theirs("scores", model, exact)), scores(theirs("scores", model, jpeg))
        for runtime, name in RUNTIMES.items():
            largest = max(differences(same, scores(ours("scores", model, runtime, exact))))
            own = differences(decoded, scores(ours("scores", model, runtime, jpeg)))
            print(
                f"| {model} | {name} | {len(same)} | {largest:.1e} | {len(own)} files: {statistics.median(own):.1e}, "
                f"{max(own):.1e} |"
            )


def time():
    listed = work / "timed.txt"
    listed.write_text(
        "".join(line + "\n" for line in (work / "exact.txt").read_text().splitlines() if "coffee" in line)
    )
    print(
        "\n| model | ONNX Runtime | rten | nsfwjs, wasm | nsfwjs against ONNX Runtime | against rten | peak MB: ONNX "
        "Runtime, rten, nsfwjs (RSS) |"
    )
    print("|---|---|---|---|---|---|---|")
    for model in MODELS:
        cpu, memory = {"auto": [], "off": [], "nsfwjs": []}, {}
        for _ in range(rounds):
            for runtime in RUNTIMES:
                (answer,) = ours("time", model, runtime, listed, 20)
                cpu[runtime] += answer["cpu_ms"]
                memory[runtime] = answer["peak_mb"]
            (answer,) = theirs("time", model, listed, 20)
            cpu["nsfwjs"] += answer["cpu_ms"]
            memory["nsfwjs"] = answer["rss_mb"]
        a, o, n = (statistics.median(cpu[key]) for key in cpu)
        print(
            f"| {model} | {a:.1f} ms | {o:.1f} ms | {n:.1f} ms | {n / a:.1f} | {n / o:.1f} | {memory['auto']}, "
            f"{memory['off']}, {memory['nsfwjs']} |"
        )


def whole():
    listed = work / "whole.txt"
    listed.write_text(f"{work}/1mp.jpg\n{work}/12mp.jpg\n")
    print("\n| picture | runtime | CPU ms, bytes to scores | of which decoding | faces |")
    print("|---|---|---|---|---|")
    for runtime, name in RUNTIMES.items():
        for answer in ours("pipeline", DEFAULT, runtime, listed, max(3, rounds)):
            file, size = pathlib.Path(answer["file"]), pathlib.Path(answer["file"]).stat().st_size / 1e6
            cpu, decoding = statistics.median(answer["cpu_ms"]), statistics.median(answer["decode_ms"])
            print(f"| {file.name}, {size:.1f} MB | {name} | {cpu:.0f} | {decoding:.0f} | {answer['faces']} |")
    listed.write_text(f"{work}/12mp.jpg\n")
    print("\n| 16 uploads of 12 MP at once | MB after loading | peak MB | MB at the end | seconds |")
    print("|---|---|---|---|---|")
    for runtime, name in RUNTIMES.items():
        (answer,) = ours("memory", DEFAULT, runtime, listed, 16)
        print(
            f"| {name} | {answer['loaded_mb']} | {answer['peak_mb']} | {answer['after_mb']} | {answer['wall_s']:.1f} |"
        )


def false_positives():
    print(
        "\n| model | kind | pictures | "
        + " | ".join(f"≥ {t}" for t in THRESHOLDS)
        + " | Porn ≥ .5 | Hentai ≥ .5 | Sexy ≥ .5 |"
    )
    print("|" + "---|" * (6 + len(THRESHOLDS)))
    for model in MODELS:
        for kind in KINDS:
            found = [answer["scores"] for answer in ours("scores", model, "auto", work / f"{kind}.txt")]
            unsafe = [s["Porn"] + s["Hentai"] + s["Sexy"] for s in found]
            hits = [sum(value >= t for value in unsafe) for t in THRESHOLDS]
            hits += [sum(s[name] >= 0.5 for s in found) for name in ("Porn", "Hentai", "Sexy")]
            cells = [f"{100 * hit / len(found):.1f} %" for hit in hits]
            print(f"| {model} | {kind} | {len(found)} | " + " | ".join(cells) + " |")


parity()
time()
whole()
false_positives()
