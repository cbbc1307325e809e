"""Writes a module with a function for each operation of TOSA that DirectML expresses,
which compare_roads.py runs: write_operations.py FILE

SPDX-License-Identifier: Apache-2.0
"""
import sys

functions = []


def add(name, arguments, result, body):
    """A function `name` with the arguments "a: 2x3xf32, b: ..." and one result. In the body
    of operations, "->" stands before the type of a result, and types of operands are looked
    up: each line is "%x = op operands {attributes} -> type"."""
    types = {}
    for argument in filter(None, arguments.split(", ")):
        value, of = argument.split(": ")
        types["%" + value] = f"tensor<{of}>"
    lines = []
    for line in filter(None, (line.strip() for line in body.strip().splitlines())):
        head, of = line.rsplit(" -> ", 1)
        value, operation = head.split(" = ", 1)
        if operation.startswith("shape "):
            numbers = operation[len("shape "):]
            types[value] = f"!tosa.shape<{of}>"
            lines.append(f"{value} = tosa.const_shape {{values = dense<{numbers}> : "
                         f"tensor<{of}xindex>}} : () -> !tosa.shape<{of}>")
            continue
        types[value] = f"tensor<{of}>"
        if operation.startswith("const "):
            numbers = operation[len("const "):]
            lines.append(f'{value} = "tosa.const"() <{{values = dense<{numbers}> : '
                         f"tensor<{of}>}}> : () -> tensor<{of}>")
            continue
        operation, brace, attributes = operation.partition(" {")
        mnemonic, *operands = operation.replace(",", "").split(" ")
        of_operands = ", ".join(types[operand] for operand in operands)
        if attributes:
            attributes = f" <{{{attributes[:-1]}}}>"
        lines.append(f'{value} = "tosa.{mnemonic}"({", ".join(operands)}){attributes} : '
                     f"({of_operands}) -> tensor<{of}>")
    parameters = ", ".join(f"{value}: {of}" for value, of in types.items()
                           if value[1:] in [a.split(": ")[0] for a in arguments.split(", ")])
    last = lines[-1].split(" = ")[0]
    inner = "\n  ".join(lines)
    functions.append(f"func.func @{name}({parameters}) -> tensor<{result}> {{\n"
                     f"  {inner}\n  return {last} : tensor<{result}>\n}}\n")


# Elements.
for op in ["add", "sub", "pow"]:
    add(op, "a: 2x3x4xf32, b: 2x1x4xf32", "2x3x4xf32", f"%r = {op} %a, %b -> 2x3x4xf32")
for op in ["add", "sub", "intdiv"]:
    add(op + "_i32", "a: 3x4xi32, b: 3x4xi32", "3x4xi32", f"%r = {op} %a, %b -> 3x4xi32")
add("add_f16", "a: 3x4xf16, b: 1x4xf16", "3x4xf16", "%r = add %a, %b -> 3x4xf16")
for shift in [0, 5]:
    add(f"mul_i32_{shift}", "a: 3x4xi32, b: 3x1xi32", "3x4xi32", f"""
        %s = const {shift} -> 1xi8
        %r = mul %a, %b, %s -> 3x4xi32""")
add("mul", "a: 3x4xf32, b: 3x1xf32", "3x4xf32", """
    %s = const 0 -> 1xi8
    %r = mul %a, %b, %s -> 3x4xf32""")
add("mul_i8", "a: 3x4xi8, b: 3x4xi8", "3x4xi32", """
    %s = const 0 -> 1xi8
    %r = mul %a, %b, %s -> 3x4xi32""")
for mode in ["PROPAGATE", "IGNORE"]:
    attribute = f"nan_mode = #tosa.nan_mode<{mode}>"
    for op in ["maximum", "minimum"]:
        add(f"{op}_{mode.lower()}", "a: 24xf32, b: 24xf32", "24xf32",
            f"%r = {op} %a, %b {{{attribute}}} -> 24xf32")
    add(f"clamp_{mode.lower()}", "a: 24xf32", "24xf32",
        f"%r = clamp %a {{min_val = -1.0 : f32, max_val = 1.5 : f32, {attribute}}} -> 24xf32")
    for op in ["reduce_max", "reduce_min"]:
        add(f"{op}_{mode.lower()}", "a: 6x4xf32", "6x1xf32",
            f"%r = {op} %a {{axis = 1 : i32, {attribute}}} -> 6x1xf32")
    add(f"argmax_{mode.lower()}", "a: 6x4xf32", "6xi32",
        f"%r = argmax %a {{axis = 1 : i32, {attribute}}} -> 6xi32")
add("clamp_i8", "a: 24xi8", "24xi8",
    "%r = clamp %a {min_val = -100 : i8, max_val = 90 : i8} -> 24xi8")
add("clamp_f16", "a: 24xf16", "24xf16",
    "%r = clamp %a {min_val = 0.0 : f16, max_val = 6.0 : f16} -> 24xf16")
add("maximum_i32", "a: 24xi32, b: 24xi32", "24xi32", "%r = maximum %a, %b -> 24xi32")
for op in ["equal", "greater", "greater_equal"]:
    add(op, "a: 24xf32, b: 24xf32", "24xi1", f"%r = {op} %a, %b -> 24xi1")
    add(op + "_i32", "a: 24xi32, b: 24xi32", "24xi1", f"%r = {op} %a, %b -> 24xi1")
for op in ["and", "or", "xor"]:
    add("logical_" + op, "a: 24xf32, b: 24xf32", "24xi1", f"""
        %p = greater %a, %b -> 24xi1
        %q = equal %a, %b -> 24xi1
        %r = logical_{op} %p, %q -> 24xi1""")
    add("bitwise_" + op, "a: 3x4xi32, b: 3x1xi32", "3x4xi32",
        f"%r = bitwise_{op} %a, %b -> 3x4xi32")
add("logical_not", "a: 24xi1", "24xi1", "%r = logical_not %a -> 24xi1")
add("bitwise_not", "a: 24xi16", "24xi16", "%r = bitwise_not %a -> 24xi16")
add("select", "c: 24xi1, a: 24xf32, b: 1xf32", "24xf32", "%r = select %c, %a, %b -> 24xf32")
for op, of in [("logical_left_shift", "i32"), ("logical_right_shift", "i16")]:
    add(op, f"a: 16x{of}", f"16x{of}", f"""
        %b = const [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] -> 16x{of}
        %r = {op} %a, %b -> 16x{of}""")
for rounds in ["false", "true"]:
    add(f"arithmetic_right_shift_{rounds}", "a: 16xi32", "16xi32", f"""
        %b = const [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 31] -> 16xi32
        %r = arithmetic_right_shift %a, %b {{round = {rounds}}} -> 16xi32""")
for op in ["abs", "ceil", "floor", "exp", "log", "sin", "cos", "erf", "sigmoid", "tanh",
           "rsqrt", "reciprocal"]:
    add(op, "a: 2x3x4xf32", "2x3x4xf32", f"%r = {op} %a -> 2x3x4xf32")
add("rsqrt_f16", "a: 24xf16", "24xf16", "%r = rsqrt %a -> 24xf16")
add("abs_i32", "a: 24xi32", "24xi32", "%r = abs %a -> 24xi32")
add("clz", "a: 24xi32", "24xi32", "%r = clz %a -> 24xi32")
for of, zero, output in [("f32", "0.0", "0.0"), ("i8", "-3", "5"), ("i32", "0", "0")]:
    add("negate_" + of, f"a: 24x{of}", f"24x{of}", f"""
        %z = const {zero} -> 1x{of}
        %o = const {output} -> 1x{of}
        %r = negate %a, %z, %o -> 24x{of}""")
for source, target in [("f32", "i32"), ("f32", "i8"), ("f16", "i16"), ("i32", "f32"),
                       ("i8", "i32"), ("i32", "i8"), ("i32", "i1"), ("i1", "i32"),
                       ("f32", "f16"), ("f16", "f32"), ("i8", "f32")]:
    add(f"cast_{source}_{target}", f"a: 24x{source}", f"24x{target}",
        f"%r = cast %a -> 24x{target}")

# Reductions.
for op, of in [("sum", "f32"), ("product", "f32"), ("sum", "i32")]:
    add(f"reduce_{op}_{of}", f"a: 2x5x3x{of}", f"2x1x3x{of}",
        f"%r = reduce_{op} %a {{axis = 1 : i32}} -> 2x1x3x{of}")
for op in ["all", "any"]:
    add("reduce_" + op, "a: 6x4xi1", "6x1xi1",
        f"%r = reduce_{op} %a {{axis = 1 : i32}} -> 6x1xi1")
add("argmax_first_axis", "a: 3x4x5xi8", "4x5xi32", "%r = argmax %a {axis = 0 : i32} -> 4x5xi32")

# Movement.
add("concat", "a: 2x3xf32, b: 2x1xf32", "2x4xf32", "%r = concat %a, %b {axis = 1 : i32} -> 2x4xf32")
for of, value in [("f32", "3.5"), ("i8", "-7"), ("i32", "16777217")]:
    add("pad_" + of, f"a: 2x3x{of}", f"5x6x{of}", f"""
        %p = shape [1, 2, 0, 3] -> 4
        %v = const {value} -> 1x{of}
        %r = pad %a, %p, %v -> 5x6x{of}""")
add("reshape", "a: 2x6xf32", "3x2x2xf32", """
    %s = shape [3, 2, 2] -> 3
    %r = reshape %a, %s -> 3x2x2xf32""")
add("reverse", "a: 2x3x4xf32", "2x3x4xf32", "%r = reverse %a {axis = 1 : i32} -> 2x3x4xf32")
add("slice", "a: 4x5xi32", "2x3xi32", """
    %s = shape [1, 2] -> 2
    %n = shape [2, 3] -> 2
    %r = slice %a, %s, %n -> 2x3xi32""")
add("tile", "a: 2x3xf32", "4x9xf32", """
    %m = shape [2, 3] -> 2
    %r = tile %a, %m -> 4x9xf32""")
add("transpose", "a: 2x3x4xf32", "4x2x3xf32",
    "%r = transpose %a {perms = array<i32: 2, 0, 1>} -> 4x2x3xf32")
for batch in [1, 2]:
    places = "[[3, 0, 3]]" if batch == 1 else "[[3, 0, 1], [2, 2, 0]]"
    add(f"gather_{batch}", f"a: {batch}x4x2xf32", f"{batch}x3x2xf32", f"""
        %i = const {places} -> {batch}x3xi32
        %r = gather %a, %i -> {batch}x3x2xf32""")
add("scatter", "a: 2x4x2xf32, b: 2x3x2xf32", "2x4x2xf32", """
    %i = const [[3, 0, 1], [2, 1, 0]] -> 2x3xi32
    %r = scatter %a, %i, %b -> 2x4x2xf32""")
add("const_i1", "a: 4xf32, b: 4xf32", "4xf32", """
    %c = const [true, false, false, true] -> 4xi1
    %r = select %c, %a, %b -> 4xf32""")
add("identity", "a: 4xf32", "4xf32", "%r = identity %a -> 4xf32")

# Tables, of which the elements are made of their places.
eight = ", ".join(str((37 * i) % 256 - 128) for i in range(256))
sixteen = ", ".join(str((i - 256) * 101 % 20000 - 10000) for i in range(513))
add("table_i8", "a: 4x6xi8", "4x6xi8", f"""
    %t = const [{eight}] -> 256xi8
    %r = table %a, %t -> 4x6xi8""")
add("table_i16", "a: 24xi16", "24xi32", f"""
    %t = const [{sixteen}] -> 513xi16
    %r = table %a, %t -> 24xi32""")

# Windows.
zeros = """
    %z = const 0.0 -> 1xf32
    %y = const 0.0 -> 1xf32"""
for name, pad, stride, dilation, shape in [
        ("plain", "0, 0, 0, 0", "1, 1", "1, 1", "1x5x6x4"),
        ("padded", "1, 0, 2, 1", "2, 1", "1, 2", "1x3x6x4")]:
    add("conv2d_" + name, "x: 1x7x8x3xf32, w: 4x3x3x3xf32, b: 4xf32".replace(
        "1x7x8x3", "1x7x8x3" if name == "plain" else "1x6x7x3"), shape + "xf32", zeros + f"""
        %r = conv2d %x, %w, %b, %z, %y {{pad = array<i64: {pad}>, stride = array<i64: {stride}>, dilation = array<i64: {dilation}>, acc_type = f32}} -> {shape}xf32""")
add("conv2d_f16", "x: 1x5x5x3xf16, w: 2x3x3x3xf16, b: 1xf16", "1x3x3x2xf16", """
    %z = const 0.0 -> 1xf16
    %y = const 0.0 -> 1xf16
    %r = conv2d %x, %w, %b, %z, %y {pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, acc_type = f32} -> 1x3x3x2xf16""")
add("conv2d_i8", "x: 1x6x6x3xi8, w: 4x3x3x3xi8, b: 4xi32", "1x6x6x4xi32", """
    %z = const 5 -> 1xi8
    %y = const -2 -> 1xi8
    %r = conv2d %x, %w, %b, %z, %y {pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, acc_type = i32} -> 1x6x6x4xi32""")
add("conv3d", "x: 1x4x5x5x2xf32, w: 3x2x3x3x2xf32, b: 3xf32", "1x3x3x3x3xf32", zeros + """
    %r = conv3d %x, %w, %b, %z, %y {pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>, acc_type = f32} -> 1x3x3x3x3xf32""")
for multiple in [1, 2]:
    add(f"depthwise_conv2d_{multiple}", f"x: 1x6x7x3xf32, w: 3x3x3x{multiple}xf32, b: {3 * multiple}xf32",
        f"1x6x7x{3 * multiple}xf32", zeros + f"""
        %r = depthwise_conv2d %x, %w, %b, %z, %y {{pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, acc_type = f32}} -> 1x6x7x{3 * multiple}xf32""")
add("depthwise_conv2d_i8", "x: 1x5x5x3xi8, w: 3x3x3x2xi8, b: 6xi32", "1x3x3x6xi32", """
    %z = const -4 -> 1xi8
    %y = const 1 -> 1xi8
    %r = depthwise_conv2d %x, %w, %b, %z, %y {pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, acc_type = i32} -> 1x3x3x6xi32""")
for name, pad, shape in [("plain", "0, 0, 0, 0", "1x9x7x4"), ("cut", "-1, -2, 0, -1", "1x6x6x4"),
                         ("longer", "1, 2, 2, 0", "1x12x9x4")]:
    add("transpose_conv2d_" + name, "x: 1x4x3x2xf32, w: 4x3x3x2xf32, b: 4xf32", shape + "xf32",
        zeros + f"""
        %r = transpose_conv2d %x, %w, %b, %z, %y {{out_pad = array<i64: {pad}>, stride = array<i64: 2, 2>, acc_type = f32}} -> {shape}xf32""")
add("matmul", "a: 2x3x5xf32, b: 2x5x4xf32", "2x3x4xf32", zeros + """
    %r = matmul %a, %b, %z, %y -> 2x3x4xf32""")
add("matmul_i8", "a: 2x3x5xi8, b: 2x5x4xi8", "2x3x4xi32", """
    %z = const 3 -> 1xi8
    %y = const -6 -> 1xi8
    %r = matmul %a, %b, %z, %y -> 2x3x4xi32""")
add("avg_pool2d", "x: 1x5x6x3xf32", "1x3x3x3xf32", zeros + """
    %r = avg_pool2d %x, %z, %y {kernel = array<i64: 3, 2>, stride = array<i64: 2, 2>, pad = array<i64: 1, 1, 0, 0>, acc_type = f32} -> 1x3x3x3xf32""")
add("avg_pool2d_i8_whole", "x: 1x6x6x3xi8", "1x2x2x3xi8", """
    %z = const 0 -> 1xi8
    %y = const 4 -> 1xi8
    %r = avg_pool2d %x, %z, %y {kernel = array<i64: 3, 3>, stride = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, acc_type = i32} -> 1x2x2x3xi8""")
add("avg_pool2d_i8", "x: 1x5x6x3xi8", "1x3x3x3xi8", """
    %z = const 7 -> 1xi8
    %y = const -3 -> 1xi8
    %r = avg_pool2d %x, %z, %y {kernel = array<i64: 3, 2>, stride = array<i64: 2, 2>, pad = array<i64: 1, 1, 0, 0>, acc_type = i32} -> 1x3x3x3xi8""")
for of in ["f32", "i8"]:
    add("max_pool2d_" + of, f"x: 1x5x6x3x{of}", f"1x3x3x3x{of}",
        f"%r = max_pool2d %x {{kernel = array<i64: 3, 2>, stride = array<i64: 2, 2>, pad = array<i64: 1, 1, 0, 0>}} -> 1x3x3x3x{of}")

# Resizing: sizes of 1 more than a multiple of what is between the pixels, as TOSA has them.
for mode in ["NEAREST_NEIGHBOR", "BILINEAR"]:
    for name, scale, offset, border, size in [
            ("corners", "4, 2, 6, 2", "0, 0", "0, 0", (7, 13)),
            ("centres", "4, 2, 6, 2", "-1, -2", "1, 2", (8, 15)),
            ("down", "2, 3, 2, 2", "3, 0", "0, 0", (2, 5))]:
        for of in ["f32", "i8"]:
            result = "i32" if mode == "BILINEAR" and of == "i8" else of
            shape = f"1x{size[0]}x{size[1]}x2x{result}"
            add(f"resize_{mode.lower()}_{name}_{of}", f"x: 1x4x5x2x{of}", shape, f"""
                %s = shape [{scale}] -> 4
                %o = shape [{offset}] -> 2
                %b = shape [{border}] -> 2
                %r = resize %x, %s, %o, %b {{mode = #tosa.resize_mode<{mode}>}} -> {shape}""")

# Rescaling.
for name, source, target, more in [
        ("i32_i8", "i32", "i8", "scale32 = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>"),
        ("double", "i32", "i16", "scale32 = true, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>"),
        ("i8_i32", "i8", "i32", "scale32 = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>"),
        ("16", "i16", "i8", "scale32 = false, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>")]:
    zero = "4" if source == "i8" else "0"
    of, multiplier, shift = (("i16", "19000", "17") if name == "16"
                             else ("i32", "1234567890", "38" if source == "i32" else "30"))
    add("rescale_" + name, f"a: 4x6x{source}", f"4x6x{target}", f"""
        %m = const {multiplier} -> 1x{of}
        %s = const {shift} -> 1xi8
        %z = const {zero} -> 1x{source}
        %o = const {"-9" if target == "i8" else "0"} -> 1x{target}
        %r = rescale %a, %m, %s, %z, %o {{{more}, per_channel = false, input_unsigned = false, output_unsigned = false}} -> 4x6x{target}""")
add("rescale_channels", "a: 4x3xi32", "4x3xi8", """
    %m = const [1073741824, 1500000000, 2000000001] -> 3xi32
    %s = const [36, 37, 40] -> 3xi8
    %z = const 0 -> 1xi32
    %o = const 11 -> 1xi8
    %r = rescale %a, %m, %s, %z, %o {scale32 = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, per_channel = true, input_unsigned = false, output_unsigned = false} -> 4x3xi8""")
add("rescale_unsigned", "a: 4x6xi8", "4x6xi8", """
    %m = const 1073741824 -> 1xi32
    %s = const 30 -> 1xi8
    %z = const -128 -> 1xi8
    %o = const 0 -> 1xi8
    %r = rescale %a, %m, %s, %z, %o {scale32 = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, per_channel = false, input_unsigned = true, output_unsigned = false} -> 4x6xi8""")

if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(functions))
