"""Plain loops for ops whose reference evaluation in the onnx package is missing,
approximate or wrong for some attributes. Written for small tensors.
"""

import itertools
import math

import numpy as np
from onnx.reference.op_run import OpRun


def window(spatial, kernel, auto_pad, strides, dilations, pads):
    """(strides, dilations, begin pads, end pads) with auto_pad resolved."""
    rank = len(spatial)
    strides = list(strides or [1] * rank)
    dilations = list(dilations or [1] * rank)
    pads = list(pads or [0] * 2 * rank)
    if auto_pad in (None, "", "NOTSET"):
        return strides, dilations, pads[:rank], pads[rank:]
    begin, end = [0] * rank, [0] * rank
    if auto_pad != "VALID":
        for i in range(rank):
            places = -(-spatial[i] // strides[i])
            cover = dilations[i] * (kernel[i] - 1) + 1
            total = max(0, (places - 1) * strides[i] + cover - spatial[i])
            less, more = total // 2, total - total // 2
            begin[i], end[i] = (more, less) if auto_pad == "SAME_LOWER" else (less, more)
    return strides, dilations, begin, end


def places(size, kernel, stride, dilation, begin, end, ceil=False):
    room = size + begin + end - dilation * (kernel - 1) - 1
    count = room // stride + 1
    if ceil and room % stride and count * stride < size + begin:
        count += 1
    return count


def taps(place, kernel, strides, dilations, begin):
    """Input positions of each tap of the window at a place."""
    for tap in itertools.product(*map(range, kernel)):
        yield tap, tuple(
            p * s + t * d - b
            for p, s, t, d, b in zip(place, strides, tap, dilations, begin)
        )


def inside(at, shape):
    return all(0 <= a < n for a, n in zip(at, shape))


class Erf(OpRun):
    def _run(self, x):
        return (np.asarray(np.vectorize(math.erf)(x), x.dtype),)


class Gelu(OpRun):
    def _run(self, x, approximate=None):
        if approximate == "tanh":
            inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
            return (np.asarray(0.5 * x * (1 + np.tanh(inner)), x.dtype),)
        erf = np.vectorize(math.erf)(x / math.sqrt(2))
        return (np.asarray(0.5 * x * (1 + erf), x.dtype),)


class HardSwish(OpRun):
    def _run(self, x):
        return (np.asarray(x * np.clip(x / 6 + 0.5, 0, 1)),)


class Softsign(OpRun):
    def _run(self, x):
        return (np.asarray(x / (1 + np.abs(x))),)


class Mean(OpRun):
    def _run(self, *xs):
        return (np.asarray(sum(xs) / len(xs)),)


class Conv(OpRun):
    def _run(self, x, w, b=None, auto_pad=None, dilations=None, group=None,
             kernel_shape=None, pads=None, strides=None):
        group = group or 1
        kernel = w.shape[2:]
        s, d, begin, end = window(x.shape[2:], kernel, auto_pad, strides, dilations, pads)
        shape = [places(*a) for a in zip(x.shape[2:], kernel, s, d, begin, end)]
        y = np.zeros((x.shape[0], w.shape[0], *shape), x.dtype)
        per_in, per_out = w.shape[1], w.shape[0] // group
        for place in itertools.product(*map(range, shape)):
            for tap, at in taps(place, kernel, s, d, begin):
                if not inside(at, x.shape[2:]):
                    continue
                for g in range(group):
                    data = x[(slice(None), slice(g * per_in, (g + 1) * per_in), *at)]
                    weight = w[(slice(g * per_out, (g + 1) * per_out), slice(None), *tap)]
                    y[(slice(None), slice(g * per_out, (g + 1) * per_out), *place)] += (
                        data @ weight.T
                    )
        if b is not None:
            y += b.reshape(1, -1, *[1] * len(shape))
        return (y,)


class ConvTranspose(OpRun):
    def _run(self, x, w, b=None, auto_pad=None, dilations=None, group=None,
             kernel_shape=None, output_padding=None, output_shape=None, pads=None,
             strides=None):
        group, kernel, rank = group or 1, w.shape[2:], len(w.shape) - 2
        s, d = list(strides or [1] * rank), list(dilations or [1] * rank)
        rest = list(output_padding or [0] * rank)
        p = list(pads or [0] * 2 * rank)
        full = [s[i] * (x.shape[i + 2] - 1) + d[i] * (kernel[i] - 1) + 1
                for i in range(rank)]
        if output_shape or auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            for i in range(rank):
                wanted = output_shape[i] if output_shape else x.shape[i + 2] * s[i]
                total = full[i] + rest[i] - wanted
                half = total // 2
                p[i] = half if auto_pad == "SAME_UPPER" else total - half
                p[i + rank] = total - p[i]
        shape = [full[i] + rest[i] - p[i] - p[i + rank] for i in range(rank)]
        per_in, per_out = w.shape[0] // group, w.shape[1]
        y = np.zeros((x.shape[0], per_out * group, *shape), x.dtype)
        for place in itertools.product(*map(range, x.shape[2:])):
            for tap, at in taps(place, kernel, s, d, p[:rank]):
                if not inside(at, shape):
                    continue
                for g in range(group):
                    data = x[(slice(None), slice(g * per_in, (g + 1) * per_in), *place)]
                    weight = w[(slice(g * per_in, (g + 1) * per_in), slice(None), *tap)]
                    y[(slice(None), slice(g * per_out, (g + 1) * per_out), *at)] += (
                        data @ weight
                    )
        if b is not None:
            y += b.reshape(1, -1, *[1] * rank)
        return (y,)


class MaxPool(OpRun):
    def _run(self, x, auto_pad=None, ceil_mode=None, dilations=None,
             kernel_shape=None, pads=None, storage_order=None, strides=None):
        spatial = x.shape[2:]
        s, d, begin, end = window(spatial, kernel_shape, auto_pad, strides, dilations, pads)
        shape = [places(*a, ceil=bool(ceil_mode))
                 for a in zip(spatial, kernel_shape, s, d, begin, end)]
        y = np.full((*x.shape[:2], *shape), -np.inf, x.dtype)
        indices = np.zeros(y.shape, np.int64)
        for n, c in itertools.product(*map(range, x.shape[:2])):
            for place in itertools.product(*map(range, shape)):
                for _, at in taps(place, kernel_shape, s, d, begin):
                    if inside(at, spatial) and x[(n, c, *at)] > y[(n, c, *place)]:
                        y[(n, c, *place)] = x[(n, c, *at)]
                        indices[(n, c, *place)] = np.ravel_multi_index(
                            (n, c, *at), x.shape)
        return (y, indices)


class AveragePool(OpRun):
    def _run(self, x, auto_pad=None, ceil_mode=None, count_include_pad=None,
             dilations=None, kernel_shape=None, pads=None, strides=None):
        spatial = x.shape[2:]
        s, d, begin, end = window(spatial, kernel_shape, auto_pad, strides, dilations, pads)
        shape = [places(*a, ceil=bool(ceil_mode))
                 for a in zip(spatial, kernel_shape, s, d, begin, end)]
        y = np.zeros((*x.shape[:2], *shape), x.dtype)
        for place in itertools.product(*map(range, shape)):
            count = 0
            for _, at in taps(place, kernel_shape, s, d, begin):
                padded = all(-b <= a < n + e
                             for a, b, n, e in zip(at, begin, spatial, end))
                count += padded if count_include_pad else inside(at, spatial)
                if inside(at, spatial):
                    y[(slice(None), slice(None), *place)] += x[
                        (slice(None), slice(None), *at)]
            y[(slice(None), slice(None), *place)] /= count
        return (y,)


class GlobalMaxPool(OpRun):
    def _run(self, x):
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


class LRN(OpRun):
    def _run(self, x, alpha=None, beta=None, bias=None, size=None):
        before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
        sums = np.zeros_like(x)
        for c in range(x.shape[1]):
            first, last = max(0, c - before), min(x.shape[1], c + after + 1)
            sums[:, c] = np.sum(x[:, first:last] ** 2, axis=1)
        return (x / (float(bias) + float(alpha) / size * sums) ** float(beta),)


class Pad(OpRun):
    def _run(self, x, pads, constant_value=None, axes=None, mode=None):
        axes = list(range(x.ndim)) if axes is None else [a % x.ndim for a in axes]
        count, value = len(axes), 0 if constant_value is None else constant_value
        width = [[0, 0] for _ in range(x.ndim)]
        for i, axis in enumerate(axes):
            width[axis] = [int(pads[i]), int(pads[i + count])]
        cut = tuple(slice(max(0, -b), n - max(0, -e)) for (b, e), n in
                    zip(width, x.shape))
        grown = [[max(0, b), max(0, e)] for b, e in width]
        if mode in (None, "constant"):
            return (np.pad(x[cut], grown, constant_values=value),)
        return (np.pad(x[cut], grown, mode=mode),)


class NegativeLogLikelihoodLoss(OpRun):
    def _run(self, x, target, weight=None, ignore_index=None, reduction=None):
        weight = np.ones(x.shape[1], x.dtype) if weight is None else weight
        kept = np.ones(target.shape, bool)
        if ignore_index is not None:
            kept = target != ignore_index
        labels = np.where(kept, target, 0)
        w = weight[labels] * kept
        picked = np.take_along_axis(x, np.expand_dims(labels, 1), 1).squeeze(1)
        losses = -picked * w
        if reduction == "none":
            return (losses,)
        total = losses.sum()
        return (np.asarray(total if reduction == "sum" else total / w.sum(), x.dtype),)


class SoftmaxCrossEntropyLoss(OpRun):
    def _run(self, x, target, weight=None, ignore_index=None, reduction=None):
        shifted = x - x.max(axis=1, keepdims=True)
        logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
        (loss,) = NegativeLogLikelihoodLoss._run(
            self, logs, target, weight, ignore_index, reduction)
        return (loss, logs) if len(self.onnx_node.output) > 1 else (loss,)


OPS = [Erf, Gelu, HardSwish, Softsign, Mean, Conv, ConvTranspose, MaxPool, AveragePool,
       GlobalMaxPool, LRN, Pad, NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss]
for op in OPS:
    op.op_domain = ""
