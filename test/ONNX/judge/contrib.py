"""Random nodes of ONNX Runtime's own operators, of attention, and of graphs that compute
with sizes as exporters write them."""
#
# SPDX-License-Identifier: Apache-2.0
import numpy as np
from draw import PROTO, to_dtype
from windows import draw_bytes, draw_matrix_shapes, draw_scale, draw_zero_point

FLOAT = ["f32", "f32", "f16"]


def draw_gelu(d):
    """Gelu, BiasGelu, FastGelu and QuickGelu."""
    shape, type = d.shape(1, 4, zero=False), d.type(["f32"] if d.chance(0.8) else FLOAT)
    # The approximation is within 5e-4 of what DirectML computes.
    if d.name == "FastGelu":
        d.tolerance = (1e-3, 1e-3, 1e-3)
    if d.name == "QuickGelu":
        d.tolerance = (5e-4, 1e-4, 0)
    feeds = [d.tensor(type, shape, "moderate")]
    if d.name == "BiasGelu" or d.name == "FastGelu" and d.chance(0.5):
        feeds.append(d.tensor(type, shape[-1:], "moderate"))
    d.node(feeds, alpha=d.maybe(d.pick(1.0, 1.702, 0.5)) if d.name == "QuickGelu" else None)


def draw_bias(d):
    """BiasAdd and BiasSplitGelu, which ONNX Runtime has no CPU kernel of."""
    shape = [d.integer(1, 2), d.integer(1, 4), d.pick(2, 4, 6)]
    feeds = [d.tensor("f32", shape, "moderate"), d.tensor("f32", shape[-1:], "moderate")]
    if d.name == "BiasAdd":
        feeds.append(d.tensor("f32", shape, "moderate"))
    output, = d.node(feeds)
    add = ("Add", feeds[:2], ["sum"], {})
    if d.name == "BiasAdd":
        return d.stand_in(20, add, ("Add", ["sum", feeds[2]], [output], {}))
    d.stand_in(20, add, ("Split", ["sum"], ["left", "right"],
                         {"axis": -1, "num_outputs": 2}),
               ("Gelu", ["right"], ["gelu"], {}),
               ("Mul", ["left", "gelu"], [output], {}))


def draw_skip(d):
    shape = [d.integer(1, 2), d.integer(1, 3), d.integer(1, 8)]
    type = d.type(FLOAT)
    feeds = [d.tensor(type, shape, "moderate"), d.tensor(type, shape, "moderate"),
             d.tensor(type, shape[-1:], "moderate")]
    if d.name == "SkipLayerNormalization":
        feeds.append(d.tensor(type, shape[-1:], "moderate") if d.chance(0.7) else None)
    feeds.append(d.tensor(type, shape[-1:], "moderate") if d.chance(0.5) else None)
    d.tolerance = (2e-4, 2e-4, 0)
    d.node(feeds, d.pick([True], [True, False, False, True]),
           epsilon=d.maybe(d.pick(1e-12, 1e-5, 1e-2)))


def draw_embedding(d):
    batch, steps, width, words = d.integer(1, 2), d.integer(1, 4), d.integer(1, 6), 5
    segments = d.chance(0.6)
    feeds = [d.feed(d.numbers.integers(0, words, [batch, steps]).astype(np.int32)),
             d.feed(d.numbers.integers(0, 2, [batch, steps]).astype(np.int32))
             if segments else None,
             d.tensor("f32", [words, width], "moderate"),
             d.tensor("f32", [6, width], "moderate"),
             d.tensor("f32", [2, width], "moderate") if segments else None,
             d.tensor("f32", [width], "moderate"), d.tensor("f32", [width], "moderate"),
             d.feed(d.numbers.integers(0, 2, [batch, steps]).astype(np.int32))
             if d.chance(0.4) else None]
    d.tolerance = (2e-4, 2e-4, 0)
    d.node(feeds, d.pick([True, True], [True, False, True]), epsilon=d.maybe(1e-5))


def draw_group_norm(d):
    """GroupNorm, which ONNX Runtime has no CPU kernel of."""
    groups, each = d.integer(1, 3), d.integer(1, 3)
    size, channels = [d.integer(2, 3), d.integer(2, 3)], groups * each
    last, activation = d.maybe(d.pick(0, 1)), d.pick(0, 1)
    shape = [d.integer(1, 2), channels, *size] if last == 0 else [
        d.integer(1, 2), *size, channels]
    epsilon = d.maybe(d.pick(1e-5, 1e-2))
    feeds = [d.tensor("f32", shape, "moderate"), d.tensor("f32", [channels], "moderate"),
             d.tensor("f32", [channels], "moderate")]
    output, = d.node(feeds, groups=groups, channels_last=last, activation=activation,
                     epsilon=epsilon)
    there, back = ([0, 1, 2, 3],) * 2 if last == 0 else ([0, 3, 1, 2], [0, 2, 3, 1])
    nodes = [("Transpose", feeds[:1], ["first"], {"perm": there}),
             ("GroupNormalization", ["first", *feeds[1:]], ["normal"],
              {"num_groups": groups, "epsilon": epsilon or 1e-5}),
             ("Transpose", ["normal"], ["back"], {"perm": back})]
    if activation:
        nodes += [("Sigmoid", ["back"], ["factor"], {}),
                  ("Mul", ["back", "factor"], [output], {})]
    else:
        nodes.append(("Identity", ["back"], [output], {}))
    d.tolerance = (2e-4, 2e-4, 0)
    d.stand_in(21, *nodes)


def draw_blocks(d):
    """MatMulNBits."""
    n, k, block = d.integer(1, 4), d.integer(8, 40), d.pick(16, 32)
    blocks = -(-k // block)
    bits = d.pick(4, 4, 4, 8)
    type = d.type(["f32", "f32", "f16"])
    shape = [*d.shape(1, 2, 6, zero=False), k]
    feeds = [d.tensor(type, shape, "moderate"),
             d.feed(d.numbers.integers(0, 256, [n, blocks, block * bits // 8]).astype(
                 np.uint8), 1),
             d.tensor(type, [n * blocks] if d.chance(0.5) else [n, blocks], "unit", 1)]
    zeros = [n * -(-blocks * bits // 8)] if d.chance(0.5) else [n, -(-blocks * bits // 8)]
    feeds.append(d.feed(d.numbers.integers(0, 256, zeros).astype(np.uint8), 1)
                 if d.chance(0.5) else None)
    d.tolerance = (2e-4, 2e-4, 0)
    d.node(feeds, K=k, N=n, bits=bits, block_size=block)


def draw_quantized_add(d):
    shape, type = d.shape(0, 4, zero=False), d.pick("ui8", "i8")
    feeds = []
    for part in (d.broadcast(shape), d.broadcast(shape)):
        feeds += [draw_bytes(d, type, part), draw_scale(d), draw_zero_point(d, type)]
    d.node([*feeds, d.feed(np.float32(d.pick(0.5, 1.0))), draw_zero_point(d, type)])


def draw_quantized_sigmoid(d):
    type = d.pick("ui8", "i8")
    d.node([draw_bytes(d, type, d.shape(0, 4, zero=False)), draw_scale(d),
            draw_zero_point(d, type) if d.chance(0.7) else None,
            d.feed(np.float32(1 / 256)),
            draw_zero_point(d, type) if d.chance(0.7) else None])


def draw_quantized_concat(d):
    shape, type = d.shape(1, 4, zero=False), d.pick("ui8", "i8")
    axis = d.axis(len(shape))
    feeds = [d.feed(np.float32(0.3), 1), d.feed(to_dtype(type).type(2), 1)]
    for _ in range(d.integer(1, 3)):
        shape[axis] = d.integer(1, 3)
        feeds += [draw_bytes(d, type, list(shape)),
                  d.feed(np.float32(d.pick(0.3, 0.11)), 1),
                  d.feed(to_dtype(type).type(d.pick(2, 5)), 1)]
    d.node(feeds, axis=axis)


def draw_quantized_pool(d):
    type = d.pick("ui8", "i8")
    is_global = d.name == "QLinearGlobalAveragePool"
    kernel = [d.integer(1, 3), d.integer(1, 3)]
    shape = [d.integer(1, 2), d.integer(1, 3), *[k + d.integer(0, 3) for k in kernel]]
    attributes = {"channels_last": d.maybe(0, 0.5)}
    if not is_global:
        attributes |= {"kernel_shape": kernel, "strides": d.maybe([1, d.integer(1, 2)]),
                       "count_include_pad": d.maybe(d.pick(0, 1)),
                       "ceil_mode": d.maybe(d.pick(0, 1)),
                       "pads": d.maybe([d.integer(0, k - 1) for k in kernel * 2])}
    d.node([draw_bytes(d, type, shape), draw_scale(d), draw_zero_point(d, type),
            draw_scale(d), draw_zero_point(d, type)], **attributes)


def draw_integer_to_float(d):
    m, k, n = (d.integer(1, 5) for _ in range(3))
    a, b = d.pick("ui8", "i8"), d.pick("ui8", "i8")
    per = [n] if d.chance(0.4) else [1] if d.chance(0.3) else []
    if d.name == "DynamicQuantizeMatMul":
        feeds = [d.tensor("f32", [m, k], "moderate"), draw_bytes(d, b, [k, n]),
                 draw_scale(d, per),
                 draw_zero_point(d, b, per) if d.chance(0.5) else None]
    else:
        feeds = [draw_bytes(d, a, [m, k]), draw_bytes(d, b, [k, n]), draw_scale(d),
                 draw_scale(d, per), draw_zero_point(d, a) if d.chance(0.6) else None,
                 draw_zero_point(d, b, per) if d.chance(0.6) else None]
    feeds.append(d.tensor("f32", [n], "moderate") if d.chance(0.5) else None)
    d.node(feeds)


def draw_fused_matmul(d):
    a, b = draw_matrix_shapes(d)
    left, right = (d.maybe(d.pick(0, 1)) for _ in range(2))
    # ONNX Runtime transposes no vectors, nor what they are multiplied by.
    if min(len(a), len(b)) == 1:
        left = right = None
    a = [*a[:-2], a[-1], a[-2]] if left and len(a) > 1 else a
    b = [*b[:-2], b[-1], b[-2]] if right and len(b) > 1 else b
    d.node([d.tensor("f32", a, "moderate"), d.tensor("f32", b, "moderate")],
           alpha=d.maybe(d.pick(0.5, 2.0)), transA=left, transB=right)


def draw_multi_head(d):
    batch, heads, depth = d.integer(1, 2), d.integer(1, 3), d.pick(2, 4)
    steps, others = d.integer(1, 4), d.integer(1, 4)
    width = heads * depth
    feeds = [d.tensor("f32", [batch, steps, width], "moderate"),
             d.tensor("f32", [batch, others, width], "moderate"),
             d.tensor("f32", [batch, others, width], "moderate")]
    feeds.append(d.tensor("f32", [3 * width], "moderate") if d.chance(0.4) else None)
    feeds.append(d.feed(d.numbers.integers(1, others + 1, [batch]).astype(np.int32))
                 if d.chance(0.3) else None)
    feeds.append(d.tensor("f32", [d.pick(1, batch), d.pick(1, heads), steps, others],
                          "moderate") if d.chance(0.4) else None)
    d.tolerance = (1e-4, 2e-5, 0)
    d.node(feeds, num_heads=heads, scale=d.maybe(0.3),
           mask_filter_value=d.maybe(-1000.0, 0.2),
           unidirectional=d.maybe(d.pick(0, 1), 0.3))


def draw_packed_attention(d):
    batch, heads, depth, steps = d.integer(1, 2), d.integer(1, 2), 2, d.integer(1, 4)
    width, inner = d.integer(1, 4), heads * depth
    feeds = [d.tensor("f32", [batch, steps, width], "moderate"),
             d.tensor("f32", [width, 3 * inner], "moderate", 0.8),
             d.tensor("f32", [3 * inner], "moderate", 0.8)]
    kind = d.integer(0, 3)
    mask = None
    if kind == 1:
        mask = d.numbers.integers(1, steps + 1, [batch])
    if kind == 2:
        mask = np.maximum(d.numbers.integers(0, 2, [batch, steps]), np.arange(steps) == 0)
    if kind == 3:
        mask = d.numbers.integers(0, 2, [batch, steps, steps])
    feeds.append(None if mask is None else d.feed(mask.astype(np.int32)))
    if d.chance(0.2):
        feeds += [None, d.tensor("f32", [batch, heads, steps, steps], "moderate")]
    d.tolerance = (1e-4, 2e-5, 0)
    d.node(feeds, num_heads=heads, scale=d.maybe(0.4),
           unidirectional=d.maybe(d.pick(0, 1), 0.3))


def draw_attention(d):
    """ONNX's own Attention."""
    batch, depth, width = d.integer(1, 2), d.pick(2, 4), d.pick(2, 3)
    shared, times = d.integer(1, 2), d.integer(1, 2)
    heads, steps, others = shared * times, d.integer(1, 4), d.integer(1, 4)
    type = d.type(["f32", "f32", "f32", "f16"])
    flat = d.chance(0.4)

    def part(count, length, size):
        shape = [batch, length, count * size] if flat else [batch, count, length, size]
        return d.tensor(type, shape, "unit")
    feeds = [part(heads, steps, depth), part(shared, others, depth),
             part(shared, others, width)]
    past = d.integer(1, 2) if d.chance(0.25) else 0
    mask = None
    if d.chance(0.5):
        shape = d.pick([steps, others + past], [1, 1, steps, others + past],
                       [batch, heads, steps, others + past])
        mask = d.tensor("bool", shape) if d.chance(0.5) else d.tensor(type, shape, "unit")
        if mask in d.initializers and d.initializers[mask].dtype == bool:
            d.initializers[mask][..., 0] = True
        if mask in d.inputs and d.inputs[mask].dtype == bool:
            d.inputs[mask][..., 0] = True
    feeds.append(mask)
    if past:
        feeds += [d.tensor(type, [batch, shared, past, depth], "unit"),
                  d.tensor(type, [batch, shared, past, width], "unit")]
    # A query alone sees every key in ONNX Runtime.
    attributes = {"is_causal": d.maybe(d.pick(0, min(1, steps - 1))),
                  "scale": d.maybe(0.4, 0.4),
                  "softcap": d.maybe(d.pick(0.0, 2.0), 0.3)}
    if flat:
        attributes |= {"q_num_heads": heads, "kv_num_heads": shared}
    outputs = [True] + ([True, True] if past else [])
    if d.chance(0.2):
        outputs = (outputs + [False, False])[:3] + [True]
        attributes["qk_matmul_output_mode"] = d.maybe(d.pick(0, 1, 2, 3))
    if d.opset >= 24 and not past and d.chance(0.2):
        feeds += [None, None, d.feed(d.numbers.integers(1, others + 1, [batch]))]
    d.tolerance = (1e-4, 2e-5, 0)
    d.node(feeds, outputs, **attributes)


def draw_rotary(d):
    """RotaryEmbedding, ONNX's own and ONNX Runtime's."""
    batch, heads, steps = d.integer(1, 2), d.integer(1, 3), d.integer(1, 4)
    depth = d.pick(2, 4, 8)
    flat = d.chance(0.5)
    partial = d.pick(0, 0, 0, depth // 2 if depth > 2 else 0)
    rotated = partial or depth
    shape = [batch, steps, heads * depth] if flat else [batch, heads, steps, depth]
    attributes = {"interleaved": d.maybe(d.pick(0, 1)),
                  "rotary_embedding_dim": partial or d.maybe(0, 0.3)}
    x = d.tensor("f32", shape, "unit")
    if d.domain:
        caches = [d.tensor("f32", [6, rotated // 2], "unit") for _ in range(2)]
        positions = d.feed(d.numbers.integers(0, 6, [batch, steps])) if d.chance(0.6) \
            else d.feed(np.array([d.integer(0, 6 - steps)]))
        if flat or partial:
            attributes["num_heads"] = heads
        return d.node([x, positions, *caches], scale=d.maybe(1.0, 0.2), **attributes)
    if flat:
        attributes["num_heads"] = heads
    if d.chance(0.5):
        caches = [d.tensor("f32", [6, rotated // 2], "unit") for _ in range(2)]
        return d.node([x, *caches, d.feed(d.numbers.integers(0, 6, [batch, steps]))],
                      **attributes)
    caches = [d.tensor("f32", [batch, steps, rotated // 2], "unit") for _ in range(2)]
    d.node([x, *caches], **attributes)


def draw_tensor_scatter(d):
    batch, heads, longest, width = d.integer(1, 3), d.integer(1, 2), d.integer(2, 5), 3
    steps = d.integer(1, longest)
    type = d.type(["f32", "f16", "i64", "ui8"])
    shape = [batch, heads, longest, width] if d.chance(0.6) else [batch, longest, width]
    update = list(shape)
    update[-2] = steps
    mode = d.maybe(d.pick("linear", "circular"))
    most = longest - 1 if mode == "circular" else longest - steps
    starts = d.feed(d.numbers.integers(0, most + 1, [batch])) if d.chance(0.7) else None
    d.node([d.tensor(type, shape), d.tensor(type, update), starts], mode=mode,
           axis=d.maybe(-2, 0.4))


def draw_bitcast(d):
    pairs = [("f32", "i32"), ("i32", "f32"), ("f16", "i16"), ("i64", "f64"), ("ui8", "i8"),
             ("ui32", "f32"), ("ui64", "i64")]
    source, target = d.pick(*pairs)
    d.node([d.tensor(source, d.shape(), "moderate")], to=PROTO[target])


MICROSOFT = {"Gelu": draw_gelu, "BiasGelu": draw_gelu, "FastGelu": draw_gelu,
             "QuickGelu": draw_gelu, "BiasAdd": draw_bias, "BiasSplitGelu": draw_bias,
             "SkipLayerNormalization": draw_skip,
             "SkipSimplifiedLayerNormalization": draw_skip,
             "EmbedLayerNormalization": draw_embedding, "MatMulNBits": draw_blocks,
             "GroupNorm": draw_group_norm,
             "QLinearAdd": draw_quantized_add, "QLinearSigmoid": draw_quantized_sigmoid,
             "QLinearConcat": draw_quantized_concat,
             "QLinearAveragePool": draw_quantized_pool,
             "QLinearGlobalAveragePool": draw_quantized_pool,
             "MatMulIntegerToFloat": draw_integer_to_float,
             "DynamicQuantizeMatMul": draw_integer_to_float,
             "FusedMatMul": draw_fused_matmul, "MultiHeadAttention": draw_multi_head,
             "Attention": draw_packed_attention, "RotaryEmbedding": draw_rotary}
ROWS = {"Attention": draw_attention, "RotaryEmbedding": draw_rotary,
        "TensorScatter": draw_tensor_scatter, "BitCast": draw_bitcast}
NEWER = {"Attention": [23, 24], "RotaryEmbedding": [23], "TensorScatter": [24],
         "BitCast": [26]}
