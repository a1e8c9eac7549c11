"""bad_npz.py LOWTIDE STEP: feeds `run` with arrays that it must refuse."""
import io
import os
import random
import subprocess
import sys
import zipfile

import numpy as np

lowtide, step = sys.argv[1:]


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def header(text, version=1):
    data = text.encode()
    length = len(data).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + data


def archive(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in members.items():
            file.writestr(name + ".npy", data)
    return out.getvalue()


def run(name, data):
    with open(name + ".npz", "wb") as file:
        file.write(data)
    return subprocess.run([lowtide, "run", step, "--inputs", name + ".npz", "--outputs", "out.npz"],
                          capture_output=True, timeout=60, check=False)


def refuse(name, data, code=3):
    ran = run(name, data)
    assert ran.returncode == code, (name, ran)
    assert not os.path.exists("out.npz"), name
    print(f"{name}: {ran.stderr.decode()}", end="")


x = np.zeros((8, 32), np.float32)
start = "{'descr': '<f4', 'fortran_order': False, 'shape': "
refuse("not-zip", b"hello")
refuse("empty", b"")
refuse("not-npy", archive(x=b"hello, world, this is no array"))
refuse("unknown", archive(y=npy(x)))
refuse("shape", archive(x=npy(x[:, :31])))
refuse("type", archive(target=npy(np.zeros(8, np.float32))))
refuse("range", archive(w0=npy(np.zeros((32, 32), np.complex64))))
refuse("order", archive(x=npy(np.asfortranarray(x))))
refuse("huge", archive(x=header(start + "(9007199254740992, 256), }")))
refuse("short", archive(x=npy(x)[:-1]))
refuse("long", archive(x=npy(x) + b"0"))
refuse("header", archive(x=header("{}" + " " * 40)))
refuse("big-header", archive(x=b"\x93NUMPY\x02\x00\xff\xff\xff\xff"))
whole = archive(x=npy(np.arange(256, dtype=np.float32).reshape(8, 32)))
at = whole.index(np.float32(100).tobytes())
refuse("checksum", whole[:at] + b"\xff" + whole[at + 1:])
# An index that no axis has is found by the kernel that reads it.
refuse("class-out-of-range", archive(target=npy(np.full(8, 32, np.int64))), code=6)

rng = random.Random(7)
for case in range(60):
    data = bytearray(whole)
    for _ in range(rng.randint(1, 6)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)):]
    ran = run("mutated", bytes(data))
    assert ran.returncode in (0, 3), (case, ran)
print("mutated files: no crash")
