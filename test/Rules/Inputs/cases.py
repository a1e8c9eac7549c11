"""The table of gradient checks: an op, its operands, its attributes.

Operands are names of arguments (differentiated where they are float64), arrays
(constants) or None (absent). Values keep away from kinks: central differences
know nothing of them; rules at kinks have lit tests.
"""

import dataclasses

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference

import mlirtext


@dataclasses.dataclass
class F32:
    value: float


@dataclasses.dataclass
class F64:
    value: float


@dataclasses.dataclass
class Case:
    name: str
    op: str
    operands: list
    arguments: dict
    attributes: dict
    result_types: list
    outputs: set
    expected: list | None = None
    adjoints: list | None = None


ALL = []
rng = np.random.default_rng(3)


def all_cases():
    return ALL


def rand(*shape):
    return rng.standard_normal(shape)


def positive(*shape):
    return rng.uniform(0.5, 2.0, shape)


def apart(*shape):
    """Distinct values, no two closer than 0.1, none near 0."""
    count = int(np.prod(shape))
    values = (np.arange(count) - count / 2 + 0.5) * 0.37
    return rng.permutation(values).reshape(shape)


def ints(*values):
    return np.array(values, np.int64)


def infer_types(op, operands, arguments, attributes, count):
    names, values, constants = [], [], []
    for i, operand in enumerate(operands):
        array = arguments[operand] if isinstance(operand, str) else operand
        names.append("" if array is None else f"v{i}")
        if array is None:
            continue
        if isinstance(operand, str):
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            values.append(helper.make_tensor_value_info(f"v{i}", kind, array.shape))
        else:
            constants.append(numpy_helper.from_array(array, f"v{i}"))
    while names and not names[-1]:
        names.pop()
    plain = {}
    for k, v in attributes.items():
        if isinstance(v, F32):
            v = v.value
        if isinstance(v, str) and v.startswith("type:"):
            v = mlirtext.ELEMENTS[v[5:]][1]
        plain[k] = v
    outputs = [f"y{i}" for i in range(count)]
    node = helper.make_node(op[5:], names, outputs, **plain)
    graph = helper.make_graph(
        [node], "g", values, [onnx.ValueInfoProto(name=o) for o in outputs], constants
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", mlirtext.OPSET)], ir_version=13
    )
    inferred = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    kinds = []
    for o in inferred.graph.output:
        dtype = helper.tensor_dtype_to_np_dtype(o.type.tensor_type.elem_type)
        shape = [d.dim_value for d in o.type.tensor_type.shape.dim]
        kinds.append(mlirtext.format_type(np.empty(shape, dtype)))
    return kinds


def case(op, *operands, results=1, outputs=None, types=None, expect=None, tag="",
         adjoints=None, **attributes):
    """Array operands given as ("c", array) are constants."""
    arguments, listed = {}, []
    operands = list(operands) + [None] * (OPERANDS.get(op, 0) - len(operands))
    absent = RESULTS.get(op, results) - results
    for i, operand in enumerate(operands):
        if isinstance(operand, tuple):
            listed.append(operand[1])
        elif operand is None or isinstance(operand, str):
            listed.append(operand)
        else:
            arguments[f"a{i}"] = np.asarray(operand)
            listed.append(f"a{i}")
    if "." not in op:
        op = "onnx." + op
    kinds = types or infer_types(op, listed, arguments, attributes, results)
    if outputs is None:
        outputs = range(len(kinds))
    kinds = kinds + ["none"] * absent
    shapes = ",".join("x".join(map(str, a.shape)) or "()" for a in arguments.values())
    ALL.append(Case(f"{op}[{shapes}]{tag}", op, listed, arguments, attributes, kinds,
                    set(outputs), expect, adjoints))


# Operands and results that the dialect names even where they are absent.
OPERANDS = {"Conv": 3, "ConvTranspose": 3, "Clip": 3, "Gemm": 3, "Dropout": 3,
            "SoftmaxCrossEntropyLoss": 3, "NegativeLogLikelihoodLoss": 3}
RESULTS = {"MaxPool": 2, "Dropout": 2, "BatchNormalization": 3,
           "SoftmaxCrossEntropyLoss": 2}


def known(op, *operands, expect, adjoint=None, **rest):
    """A case whose gradients are known; the results' adjoint is all ones."""
    case(op, *operands, expect=[np.asarray(e, np.float64) for e in expect], **rest)
    last = ALL[-1]
    shape, _ = mlirtext.parse_type(last.result_types[min(last.outputs)])
    last.adjoints = [np.ones(shape) if adjoint is None
                     else np.array(adjoint, np.float64).reshape(shape)]
    last.name += "=known"


def const(array):
    return ("c", np.asarray(array))


def f64_type(*shape):
    return mlirtext.format_type(np.empty(shape))


# ---- activations -------------------------------------------------------------
for shape in [(), (3, 4)]:
    for op in ["Neg", "Exp", "Sin", "Cos", "Sigmoid", "Tanh", "Softplus", "Erf",
               "Mish", "Identity"]:
        case(op, rand(*shape))
    for op in ["Log", "Sqrt", "Reciprocal"]:
        case(op, positive(*shape))
    for op in ["Abs", "Relu", "LeakyRelu", "Softsign", "Elu", "Sign", "Floor", "Ceil",
               "Round"]:
        case(op, apart(*shape) if shape else np.array(0.7))
    case("LeakyRelu", apart(3, 4), alpha=F32(-0.5))
    case("Elu", apart(*shape) if shape else np.array(-0.7), alpha=F32(1.5))
    case("Gelu", rand(*shape))
    case("Gelu", rand(*shape), approximate="tanh", tag="tanh")
    case("HardSigmoid", apart(*shape) if shape else np.array(0.4))
    case("HardSwish", apart(*shape) if shape else np.array(0.4))
    case("Clip", apart(*shape) if shape else np.array(0.4),
         const(np.array(-0.9)), const(np.array(0.9)))
    case("Clip", apart(*shape) if shape else np.array(0.4), None, const(np.array(0.9)))
case("Clip", apart(4, 5), np.array(-0.9), np.array(0.91), tag="bounds")
case("Cast", rand(2, 3), to="type:f64")

# ---- arithmetic --------------------------------------------------------------
PAIRS = [((3, 4), (1, 4)), ((3, 4), (4,)), ((2, 3), ()), ((2, 1), (1, 3)), ((1,), ()),
         ((2, 1, 3), (4, 1)), ((3, 4), (3, 4)), ((), ())]
for a, b in PAIRS:
    for op in ["Add", "Sub", "Mul", "Div"]:
        case(op, rand(*a), positive(*b))
        case(op, rand(*b), positive(*a), tag="swapped")
    case("Pow", positive(*a), rand(*b))
    case("Pow", positive(*b), rand(*a), tag="swapped")
    case("Max", apart(*a), apart(*b) + 0.05)
    case("Min", apart(*a), apart(*b) + 0.05)
    case("Mean", rand(*a), rand(*b), rand(1))
    case("Sum", rand(*a), rand(*b), rand(1))
for op in ["Add", "Sub", "Mul", "Div"]:
    x = positive(2, 3)
    ALL.append(Case(f"onnx.{op}(x,x)", "onnx." + op, ["x", "x"], {"x": x}, {},
                    [f64_type(2, 3)], {0}))
ALL.append(Case("onnx.MatMul(x,x)", "onnx.MatMul", ["x", "x"], {"x": rand(3, 3)}, {},
                [f64_type(3, 3)], {0}))
case("Pow", rand(2, 3), const(np.array(2.0)))
case("Pow", rand(2, 3), const(np.array(3.0)))
case("Pow", rand(2, 3), const(np.array(0.0)))
case("Pow", rand(2, 3), const(np.array([2], np.int64)), tag="int")
case("Mod", apart(3, 4), const(np.array(5.0)), fmod=1)
case("PRelu", apart(2, 3, 4), rand(3, 1))
case("PRelu", apart(3, 4), rand(3, 4))
case("Max", apart(3, 4))
case("Max", apart(3, 4), apart(3, 4) + 0.05, apart(4) + 0.1)
case("Where", const(np.array([True, False, True])), rand(2, 3), rand(3))
case("Where", const(np.array([[True], [False]])), rand(1, 3), rand())
for exclusive in [0, 1]:
    for reverse in [0, 1]:
        case("CumSum", rand(3, 4), const(np.array(1, np.int64)), exclusive=exclusive,
             reverse=reverse, tag=f"{exclusive}{reverse}")

# ---- matrices ----------------------------------------------------------------
for a, b in [((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)),
             ((5, 2, 3), (3,)), ((3,), (5, 3, 4)), ((5, 2, 3), (3, 4)),
             ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((2, 1, 2, 3), (5, 3, 4)),
             ((1, 2, 3), (5, 3, 4)), ((5, 2, 3), (1, 3, 4)), ((2, 5, 2, 3), (3, 1))]:
    case("MatMul", rand(*a), rand(*b))
for trans_a in [0, 1]:
    for trans_b in [0, 1]:
        for c in [None, (), (1,), (4,), (2, 1), (1, 4), (2, 4)]:
            case("Gemm", rand(*((3, 2) if trans_a else (2, 3))),
                 rand(*((4, 3) if trans_b else (3, 4))),
                 None if c is None else rand(*c), alpha=F32(0.5), beta=F32(2.0),
                 transA=trans_a, transB=trans_b, tag=f"{trans_a}{trans_b}{c}")
case("Gemm", np.array([[1.0, 2, 3]]), np.array([[1.0, 0, 1], [0, 1, 0]]),
     np.array([10.0, 20]), alpha=F32(0.5), beta=F32(2.0), transB=1)

# ---- convolutions and pools --------------------------------------------------
case("Conv", rand(2, 3, 7), rand(4, 3, 3), rand(4))
case("Conv", rand(1, 1, 6), rand(1, 1, 3), strides=[2], tag="tail")
case("Conv", rand(2, 4, 6, 5), rand(6, 2, 3, 2), rand(6), group=2, pads=[1, 0, 1, 2],
     strides=[2, 1])
case("Conv", rand(1, 2, 5, 5), rand(4, 1, 3, 3), group=2, dilations=[2, 2],
     pads=[1, 0, 2, 1], tag="dilated")
case("Conv", rand(2, 4, 6, 6), rand(4, 1, 3, 3), group=4, auto_pad="SAME_LOWER",
     strides=[2, 2], tag="depthwise")
case("Conv", rand(1, 2, 7, 8), rand(2, 2, 3, 3), auto_pad="SAME_UPPER",
     dilations=[2, 2])
case("Conv", rand(1, 2, 7, 8), rand(2, 2, 2, 2), auto_pad="VALID", strides=[3, 2])
case("Conv", rand(1, 2, 4, 3, 4), rand(2, 2, 2, 2, 3), pads=[0, 1, 1, 0, 1, 0],
     strides=[1, 2, 2])
case("ConvTranspose", rand(2, 3, 4), rand(3, 2, 3), rand(2), strides=[2])
case("ConvTranspose", rand(1, 2, 3, 3), rand(2, 1, 3, 3), strides=[2, 2],
     auto_pad="SAME_UPPER")
case("ConvTranspose", rand(1, 2, 3, 3), rand(2, 1, 3, 3), strides=[2, 2],
     output_padding=[1, 1], pads=[1, 1, 1, 1])
case("ConvTranspose", rand(2, 4, 3, 4), rand(4, 2, 3, 2), rand(4), group=2,
     dilations=[2, 1], strides=[1, 2], pads=[1, 0, 0, 1])
case("ConvTranspose", rand(1, 2, 3, 4), rand(2, 2, 3, 3), strides=[2, 2],
     output_shape=[6, 8], tag="output_shape")
case("ConvTranspose", rand(1, 2, 3), rand(2, 2, 3), strides=[2], auto_pad="SAME_LOWER")
case("MaxPool", apart(2, 3, 7), kernel_shape=[3], strides=[2])
case("MaxPool", apart(1, 2, 5, 6), kernel_shape=[2, 3], strides=[2, 1],
     pads=[1, 0, 0, 1])
case("MaxPool", apart(1, 1, 4, 4), kernel_shape=[2, 2], dilations=[2, 2])
case("MaxPool", apart(1, 2, 5, 5), kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
case("AveragePool", rand(2, 3, 7), kernel_shape=[3], strides=[2])
case("AveragePool", rand(1, 2, 5, 6), kernel_shape=[2, 3], strides=[2, 1],
     pads=[1, 0, 0, 1])
case("AveragePool", rand(1, 2, 5, 6), kernel_shape=[2, 3], strides=[2, 1],
     pads=[1, 0, 0, 1], count_include_pad=1, tag="include")
case("AveragePool", rand(1, 2, 5, 5), kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
case("AveragePool", rand(1, 2, 6, 6), kernel_shape=[2, 2], dilations=[2, 2],
     auto_pad="SAME_UPPER")
for shape in [(2, 3, 4), (1, 2, 3, 5)]:
    case("GlobalAveragePool", rand(*shape))
    case("GlobalMaxPool", apart(*shape))

# ---- normalisation -----------------------------------------------------------
for shape in [(4, 3), (2, 3, 5), (2, 3, 4, 2)]:
    case("BatchNormalization", rand(*shape), rand(3), rand(3), rand(3), positive(3))
    case("train.batch_norm", rand(*shape), rand(3), rand(3), epsilon=F64(1e-3),
         types=[f64_type(*shape), f64_type(3), f64_type(3)], outputs=[0])
for shape, axis in [((3, 5), 1), ((2, 3, 4), 1), ((2, 3, 4), 2), ((2, 3, 4), 0)]:
    kept = shape[:axis] + (1,) * (len(shape) - axis)
    for bias in [True, False]:
        case("train.layer_norm", rand(*shape), rand(*shape[axis:]),
             rand(*shape[axis:]) if bias else None, axis=axis, epsilon=F64(1e-3),
             types=[f64_type(*shape), f64_type(*kept), f64_type(*kept)], outputs=[0],
             tag=f"axis{axis}{'bias' if bias else ''}")
case("InstanceNormalization", rand(2, 3, 5), rand(3), rand(3))
case("InstanceNormalization", rand(2, 3, 4, 2), rand(3), rand(3))
case("LRN", rand(2, 7, 3), size=3, alpha=F32(0.5))
case("LRN", rand(1, 6, 2, 2), size=4, alpha=F32(0.3), beta=F32(0.6), bias=F32(2.0))
case("Dropout", rand(2, 3))

# ---- softmax and losses ------------------------------------------------------
for axis in [-1, 0, 1]:
    case("Softmax", rand(2, 3, 4), axis=axis, tag=str(axis))
    case("LogSoftmax", rand(2, 3, 4), axis=axis, tag=str(axis))
case("Softmax", rand(5))
for reduction in ["mean", "sum", "none"]:
    for weights in [None, const(np.array([1.0, 1.0, 3.0]))]:
        for ignore in [{}, {"ignore_index": -1}]:
            labels = ints(2, -1 if ignore else 0)
            tag = f"{reduction}{'w' if weights else ''}{'i' if ignore else ''}"
            out = f64_type(*((2,) if reduction == "none" else ()))
            case("SoftmaxCrossEntropyLoss", rand(2, 3), const(labels), weights,
                 reduction=reduction, tag=tag, **ignore)
            case("NegativeLogLikelihoodLoss", rand(2, 3), const(labels), weights,
                 reduction=reduction, tag=tag, **ignore)
            case("train.softmax_cross_entropy", rand(2, 3), const(labels), weights,
                 axis=1, reduction=reduction, types=[out], tag=tag, **ignore)
case("SoftmaxCrossEntropyLoss", rand(2, 3, 4),
     const(rng.integers(0, 3, (2, 4))), results=2, tag="log_prob")
case("NegativeLogLikelihoodLoss", rand(2, 3, 2, 2),
     const(rng.integers(0, 3, (2, 2, 2))))
case("train.softmax_cross_entropy", rand(2, 4, 3), const(rng.integers(0, 3, (2, 4))),
     None, axis=2, reduction="mean", types=[f64_type()])
case("train.softmax_cross_entropy", rand(3), const(np.array(1)), None, axis=0,
     reduction="mean", types=[f64_type()])
case("train.mse", rand(2, 3), rand(2, 3), types=[f64_type()])
case("train.mse", rand(), rand(), types=[f64_type()])

# ---- shapes ------------------------------------------------------------------
case("Reshape", rand(2, 3, 4), const(ints(4, -1)))
case("Reshape", rand(1), const(np.zeros(0, np.int64)))
case("Flatten", rand(2, 3, 4), axis=2)
case("Flatten", rand(2, 3, 4), axis=0)
case("Squeeze", rand(2, 1, 3), const(ints(1)))
case("Squeeze", rand(1, 1), None)
case("Unsqueeze", rand(2, 3), const(ints(0, -1)))
case("Transpose", rand(2, 3, 4), perm=[2, 0, 1])
case("Transpose", rand(2, 3))
case("Concat", rand(2, 3), rand(2, 1), rand(2, 2), axis=-1)
case("Concat", rand(2, 3), rand(0, 3), axis=0)
case("Split", rand(6, 2), const(ints(2, 3, 1)), results=3)
case("Split", rand(6, 2), const(ints(2, 3, 1)), results=3, outputs=[1])
case("Split", rand(6, 2), const(ints(2, 3, 1)), results=3, outputs=[0, 2])
case("Split", rand(2, 7), None, results=4, axis=1, num_outputs=4)
LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
case("Slice", rand(5), const(ints(-1)), const(ints(LEAST)), const(ints(0)),
     const(ints(-1)))
case("Slice", rand(6), const(ints(1)), const(ints(6)), const(ints(0)), const(ints(2)))
case("Slice", rand(5), const(ints(-1)), const(ints(MOST)), const(ints(0)),
     const(ints(-1)), tag="empty")
case("Slice", rand(4, 6, 3), const(ints(1, 5)), const(ints(3, -6)),
     const(ints(0, -2)), const(ints(1, -2)))
case("Slice", rand(4, 6), const(ints(1, 2)), const(ints(4, 5)), None, None)
case("Slice", rand(7, 2), const(ints(6)), const(ints(0)), const(ints(0)),
     const(ints(-3)))
case("Expand", rand(3, 1), const(ints(2, 1, 6)))
case("Expand", rand(), const(ints(2, 3)))
case("Tile", rand(2, 3), const(ints(3, 1)))
case("Tile", rand(2, 3), const(ints(2, 2)))
case("Tile", rand(2, 3), const(ints(0, 2)), tag="none")
for mode in ["reflect", "edge", "wrap", "constant"]:
    case("Pad", rand(3), const(ints(2, 2)), None, None, mode=mode, tag=mode)
    case("Pad", rand(3, 4), const(ints(1, 0, 0, 2)), None, None, mode=mode, tag=mode)
    case("Pad", rand(2, 3, 4), const(ints(1, 2)), None, const(ints(-1)), mode=mode,
         tag=mode)
case("Pad", rand(4), const(ints(-1, 1)), rand(), None)
case("Pad", rand(3, 4), const(ints(1, -1, 0, -2)), None, None)
for upper in [0, 1]:
    for k in [-1, 0, 2, 9]:
        case("Trilu", rand(2, 3, 4), const(np.array(k, np.int64)), upper=upper,
             tag=f"{upper}{k}")

# ---- indices -----------------------------------------------------------------
case("Gather", rand(4, 2), const(ints(1, 1, -1)))
case("Gather", rand(3, 4, 2), const(np.array([[0, 3], [3, 1]])), axis=1)
case("Gather", rand(3, 4), const(np.array(2)), axis=-1)
case("GatherElements", rand(2, 2), const(np.array([[0, 0], [1, 0]])), axis=1)
case("GatherElements", rand(3, 2), const(np.array([[0, -1], [0, 0]])), axis=0)
case("GatherND", rand(2, 3, 4), const(np.array([[0, 1], [0, 1], [1, 2]])))
case("GatherND", rand(2, 3, 4), const(np.array([[1], [1]])), batch_dims=1)
for reduction in ["none", "add"]:
    case("ScatterElements", rand(3, 3), const(np.array([[1, 0, 2]])), rand(1, 3),
         reduction=reduction, tag=reduction)
    case("ScatterND", rand(4, 2), const(np.array([[3], [1]])), rand(2, 2),
         reduction=reduction, tag=reduction)

# ---- reductions --------------------------------------------------------------
for op in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd",
           "ReduceL2", "ReduceSumSquare"]:
    for axes in [None, ints(1), ints(0, -1)]:
        for keep in [0, 1]:
            case(op, apart(2, 3, 2), None if axes is None else const(axes),
                 keepdims=keep, tag=f"{axes}{keep}")
    case(op, apart(2, 3), None, noop_with_empty_axes=1, tag="noop")
case("ReduceProd", np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]), const(ints(1)))

# ---- known gradients: kinks, ties, and examples from bug reports ------------------
NAN = np.nan


def array(*values):
    return np.array(values, np.float64)


known("Relu", array(0.0, -0.0, 1.0, -1.0), expect=[[0, 0, 1, 0]])
known("Max", array(2.0), array(2.0), expect=[[0.5], [0.5]])
known("Max", array(1.0), array(1.0), array(1.0), adjoint=[3.0], expect=[[1], [1], [1]])
known("Min", array(2.0), array(2.0), expect=[[0.5], [0.5]])
known("Clip", array(0, 6, 3, -1, 7), const(np.array(0.0)), const(np.array(6.0)),
      expect=[[1, 1, 1, 0, 0]])
known("Where", const(np.array([True, False])), array(5, 6), array(7, 8),
      adjoint=[1, NAN], expect=[[1, 0], [0, NAN]])
known("Trilu", np.zeros((2, 2)), None, adjoint=[[1, NAN], [1, 1]], upper=0,
      expect=[[[1, 0], [1, 1]]])
known("Abs", array(0.0, -2.0), expect=[[0, -1]])
known("Pow", array(0.0, 2.0), array(0.0, 3.0), expect=[[0, 12], [0, 8 * np.log(2)]])
known("ReduceMax", array(0.6, 0.6, 0.3).reshape(1, 3), const(ints(1)),
      expect=[[[0.5, 0.5, 0]]])
known("ReduceMin", array(1, 2, 1).reshape(1, 3), const(ints(1)), keepdims=0,
      expect=[[[0.5, 0, 0.5]]])
known("ReduceL2", np.zeros((2, 2)), None, expect=[np.zeros((2, 2))])
known("MaxPool", np.ones((1, 1, 3, 3)), kernel_shape=[2, 2],
      expect=[[[[[1, 1, 0], [1, 1, 0], [0, 0, 0]]]]])
known("MaxPool", np.arange(1.0, 17).reshape(1, 1, 4, 4), kernel_shape=[2, 2],
      dilations=[2, 2],
      expect=[[[[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]]]])
known("GlobalMaxPool", np.ones((1, 1, 3)), expect=[[[[1, 0, 0]]]])
known("Reciprocal", array(1, 2, -4), expect=[[-1, -0.25, -0.0625]])
known("Gemm", array(1, 2, 3).reshape(1, 3), array(1, 0, 1, 0, 1, 0).reshape(2, 3),
      array(10, 20), alpha=F32(0.5), beta=F32(2.0), transB=1,
      expect=[[[0.5, 0.5, 0.5]], [[0.5, 1, 1.5], [0.5, 1, 1.5]], [2, 2]])
known("MatMul", array(1, 2, 3, 4).reshape(2, 2), array(5, 6),
      expect=[[[5, 6], [5, 6]], [4, 6]])
known("Gather", rand(4, 2), const(ints(1, 1, -1)),
      expect=[[[0, 0], [2, 2], [0, 0], [1, 1]]])
known("GatherElements", array(1, 2, 3, 4).reshape(2, 2),
      const(np.array([[0, 0], [1, 0]])), axis=1, expect=[[[2, 0], [1, 1]]])
known("Slice", rand(5), const(ints(-1)), const(ints(LEAST)), const(ints(0)),
      const(ints(-1)), adjoint=[1, 2, 3, 4, 5], expect=[[5, 4, 3, 2, 1]])
known("Slice", rand(6), const(ints(1)), const(ints(6)), const(ints(0)),
      const(ints(2)), expect=[[0, 1, 0, 1, 0, 1]])
for mode, grad in [("reflect", [10, 12, 6]), ("edge", [6, 4, 18]), ("wrap", [9, 12, 7])]:
    known("Pad", rand(3), const(ints(2, 2)), None, None, mode=mode,
          adjoint=[1, 2, 3, 4, 5, 6, 7], expect=[grad])
known("Pad", rand(4), const(ints(-1, 1)), None, None, expect=[[0, 1, 1, 1]])
known("Conv", rand(1, 1, 6), np.ones((1, 1, 3)), strides=[2],
      expect=[[[[1, 1, 2, 1, 1, 0]]]])
known("Split", rand(6), const(ints(2, 3, 1)), results=3, outputs=[1],
      adjoint=[1, 1, 1], expect=[[0, 0, 1, 1, 1, 0]])
known("Expand", rand(3, 1), const(ints(2, 1, 6)), expect=[[[12], [12], [12]]])
known("Tile", rand(2), const(ints(3)), expect=[[3, 3]])
known("SoftmaxCrossEntropyLoss", array(1, 2, 3, 4, 5, 6).reshape(2, 3),
      const(ints(2, -1)), None, ignore_index=-1,
      expect=[[[0.090031, 0.244728, -0.334759], [0, 0, 0]]])
known("SoftmaxCrossEntropyLoss", array(1, 2, 3, 4, 5, 6).reshape(2, 3),
      const(ints(2, 0)), const(array(1, 1, 3)),
      expect=[[[0.067523, 0.183546, -0.251069], [-0.227492, 0.061182, 0.16631]]])
known("train.layer_norm", array(1, 2, 4, 8, 0, 1, 0, 3).reshape(2, 4),
      array(1, 0.5, 2, 1), np.zeros(4), axis=1, epsilon=F64(1e-5),
      adjoint=[[1, 2, 3, 4], [1, 2, 3, 4]],
      types=[f64_type(2, 4), f64_type(2, 1), f64_type(2, 1)], outputs=[0],
      expect=[[[-0.246506, -0.428141, 1.073596, -0.398949],
               [-1.496906, -1.632988, 2.585563, 0.544331]],
              [-1.842248, -1.305506, -2.16973, 12.872979], [2, 4, 6, 8]])
