#!/usr/bin/env python3
"""Makes the weights of a stripped test graph.

    materialize.py NAME.onnx [FOLDER]

The graphs here carry no large tensors; NAME.init.json says for each of them
where it lies in NAME.weights and how it was initialised: one constant, or
normal numbers of a given mean and deviation. The numbers come from MT19937
seeded by the CRC-32 of the tensor's name, a stream that numpy promises never
to change, so every machine writes the same bytes. FOLDER (default: beside the
graph) gets the weights and a copy of the graph.
"""
import json
import pathlib
import shutil
import sys
import zlib

import numpy

ELEMENT_TYPES = {"FLOAT16": "<f2", "FLOAT": "<f4", "DOUBLE": "<f8"}


def draw(entry):
    """The values of one tensor, in row-major order."""
    element = numpy.dtype(ELEMENT_TYPES[entry["dtype"]])
    if entry["fill"] is not None:
        return numpy.full(entry["dims"], entry["fill"], element)
    stream = numpy.random.RandomState(zlib.crc32(entry["name"].encode("utf-8")))
    # Scaled in float32 whatever the tensor's type: the bytes depend on it.
    unit = stream.standard_normal(entry["dims"]).astype(numpy.float32)
    scaled = unit * numpy.float32(entry["std"]) + numpy.float32(entry["mean"])
    return scaled.astype(element)


def write_weights(recipe, path):
    """Writes beside PATH first: an interrupted run leaves no half file."""
    unfinished = path.with_name(path.name + ".unfinished")
    with open(unfinished, "wb") as out:
        out.truncate(recipe["bytes"])
        for entry in recipe["tensors"]:
            out.seek(entry["offset"])
            out.write(draw(entry).tobytes())
    unfinished.replace(path)


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    graph = pathlib.Path(arguments[0]).resolve()
    folder = pathlib.Path(arguments[-1]).resolve() if arguments[1:] else graph.parent
    folder.mkdir(parents=True, exist_ok=True)
    recipe = json.loads(graph.with_suffix(".init.json").read_text())
    write_weights(recipe, folder / recipe["weights"])
    if folder != graph.parent:
        shutil.copyfile(graph, folder / graph.name)
    print(f"{folder / graph.name}: {len(recipe['tensors'])} tensors, "
          f"{recipe['bytes'] / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
