import { createHash } from 'node:crypto';
import type { WireBody } from './calls.js';

const DIMENSIONS = 64;

/** Returns embeddings of hashed words: texts with common words are similar. */
export function embeddingsOf(body: WireBody): object {
  const inputs = typeof body.input === 'string' ? [body.input] : (body.input ?? []);
  const dimensions = typeof body['dimensions'] === 'number' ? body['dimensions'] : DIMENSIONS;
  return {
    object: 'list',
    model: body.model,
    data: inputs.map((input, index) => ({ object: 'embedding', index, embedding: embed(input, dimensions) })),
    usage: { prompt_tokens: inputs.length, total_tokens: inputs.length },
  };
}

function embed(input: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const slot = createHash('md5').update(word).digest().readUInt32LE() % dimensions;
    vector[slot] = (vector[slot] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
