// Asks ONNX Runtime's CPU provider for the outputs of cases:
//   node ask.js FOLDER CASES ANSWERS FIRST
// FOLDER is that of npm's onnxruntime-node; CASES and ANSWERS are containers
// (container.py). Begins with the case FIRST, appends to ANSWERS, and answers twice for
// each case: with ONNX Runtime's optimizations of graphs, and without.
//
// SPDX-License-Identifier: Apache-2.0
const fs = require('fs');
const [folder, questions, answers, first] = process.argv.slice(2);
const ort = require(folder);

const TYPES = {
  f32: ['float32', Float32Array], f64: ['float64', Float64Array],
  f16: ['float16', Uint16Array], i8: ['int8', Int8Array], i16: ['int16', Int16Array],
  i32: ['int32', Int32Array], i64: ['int64', BigInt64Array], ui8: ['uint8', Uint8Array],
  ui16: ['uint16', Uint16Array], ui32: ['uint32', Uint32Array],
  ui64: ['uint64', BigUint64Array], bool: ['bool', Uint8Array]};
const NAMES = Object.fromEntries(Object.entries(TYPES).map(([name, [type]]) => [type, name]));

function toTensor(info, bytes, at) {
  const [type, Elements] = TYPES[info.type];
  const count = info.dims.reduce((product, size) => product * size, 1);
  const size = count * Elements.BYTES_PER_ELEMENT;
  const copy = new Uint8Array(size);
  copy.set(bytes.subarray(at, at + size));
  return [new ort.Tensor(type, new Elements(copy.buffer, 0, count), info.dims), at + size];
}

async function answer(header, bytes, level) {
  const feeds = {};
  let at = header.model;
  for (const info of header.inputs) [feeds[info.name], at] = toTensor(info, bytes, at);
  let session;
  try {
    session = await ort.InferenceSession.create(bytes.subarray(0, header.model), {
      graphOptimizationLevel: level, logSeverityLevel: 4, intraOpNumThreads: 1,
      interOpNumThreads: 1, executionProviders: ['cpu']});
    const results = await session.run(feeds);
    const outputs = session.outputNames.map(name => [name, results[name]]);
    for (const [name, tensor] of outputs)
      if (!tensor || !NAMES[tensor.type])
        throw new Error(`output ${name} has the type ${tensor && tensor.type}`);
    const data = outputs.map(([, tensor]) => Buffer.from(
        tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength));
    return [{outputs: outputs.map(([name, tensor]) => ({
      name, type: NAMES[tensor.type], dims: tensor.dims.map(Number)}))},
            Buffer.concat(data)];
  } catch (error) {
    return [{error: String(error.message).slice(0, 400)}, Buffer.alloc(0)];
  } finally {
    if (session) await session.release();
  }
}

function writeRecord(file, header, bytes) {
  const text = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(bytes.length, 4);
  fs.writeSync(file, Buffer.concat([lengths, text, bytes]));
}

(async () => {
  const content = fs.readFileSync(questions);
  const output = fs.openSync(answers, 'a');
  for (let at = 0, index = 0; at < content.length; ++index) {
    const size = content.readUInt32LE(at), count = content.readUInt32LE(at + 4);
    at += 8;
    const text = content.subarray(at, at + size), bytes = content.subarray(at + size, at + size + count);
    at += size + count;
    if (index < Number(first)) continue;
    const header = JSON.parse(text);
    const records = [];
    for (const level of ['all', 'disabled'])
      records.push(await answer(header, bytes, level));
    for (const record of records) writeRecord(output, ...record);
  }
})();
