import { readFileSync } from 'node:fs';
import { Tokenizer } from '@huggingface/tokenizers';
import { loadOnnxRuntime } from '../dist/models/embedding/local/onnx-runtime.js';

const ort = await loadOnnxRuntime();
const MODEL = new URL('../models/all-MiniLM-L6-v2/', import.meta.url);
const MAX_TOKENS = 256;

/** The bundled model without the service, as the baseline of ingestion. */
export async function loadBareModel() {
  const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
  const session = await ort.InferenceSession.create(readFileSync(new URL('model_int8.onnx', MODEL)), {
    intraOpNumThreads: 2,
  });
  await embed(tokenizer, session, 'The first run allocates.');
  return {
    /** Embeds texts one by one. @returns the duration in seconds */
    async time(texts) {
      const begun = performance.now();
      for (const text of texts) await embed(tokenizer, session, text);
      return (performance.now() - begun) / 1000;
    },
    release: () => session.release(),
  };
}

async function embed(tokenizer, session, text) {
  let { ids } = tokenizer.encode(text);
  if (ids.length > MAX_TOKENS) ids = [...ids.slice(0, MAX_TOKENS - 1), ids.at(-1)];
  const shape = [1, ids.length];
  const { last_hidden_state: hidden } = await session.run({
    input_ids: new ort.Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
    attention_mask: new ort.Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
  });
  return unitMean(hidden.data, ids.length, hidden.dims[2]);
}

function unitMean(rows, count, size) {
  const vector = new Float32Array(size);
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < size; column += 1) vector[column] += rows[row * size + column];
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function json(name) {
  return JSON.parse(readFileSync(new URL(name, MODEL), 'utf8'));
}
