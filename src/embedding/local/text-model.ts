import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import type * as Onnx from 'onnxruntime-node';
import { toUnitLength } from '../unit-length.js';
import type { OnnxRuntime } from './onnx-runtime.js';
import type { TokenInput } from './text-model.messages.js';

/** The model was trained on at most this many word pieces; `[CLS]` and `[SEP]` count. */
const MAX_PIECES = 256;

/** Far more than 256 pieces take; keeps a text of many megabytes from being tokenised to its end. */
const MAX_CHARACTERS = 65_536;

/**
 * Threads sleep between operators instead of spinning: at one query every 50 ms the process then takes 6% of a core
 * instead of 86%, for at most a tenth of the throughput.
 */
const SESSION_OPTIONS: Onnx.InferenceSession.SessionOptions = {
  intraOpNumThreads: 2,
  extra: { session: { intra_op: { allow_spinning: '0' } } },
};

/** What the model answers for one text: a row a token, `[CLS]` and `[SEP]` included. */
interface HiddenStates {
  readonly tokens: number;
  readonly dimensions: number;
  /** `tokens` x `dimensions`, row by row; the runtime's own memory. */
  readonly values: Float32Array;
}

/** A BERT-like text model in ONNX. One text a run: nothing is padded, and no vector depends on its neighbours. */
export class TextModel {
  private constructor(
    private readonly runtime: OnnxRuntime,
    private readonly tokenizer: Tokenizer,
    private readonly session: Onnx.InferenceSession,
  ) {}

  /** @param folder with `tokenizer.json`, `tokenizer_config.json` and `model_int8.onnx`. */
  static async load(runtime: OnnxRuntime, folder: string): Promise<TextModel> {
    const [tokenizer, config] = await Promise.all(
      ['tokenizer.json', 'tokenizer_config.json'].map(
        async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as object,
      ),
    );
    const session = await runtime.InferenceSession.create(join(folder, 'model_int8.onnx'), SESSION_OPTIONS);
    return new TextModel(runtime, new Tokenizer(tokenizer ?? {}, config ?? {}), session);
  }

  /** The mean of all token vectors, scaled to length 1 (Reimers and Gurevych 2019, section 3). */
  async textVector(text: string): Promise<Float32Array> {
    const states = await this.hiddenStates(this.pieces(text));
    return meanOf(states, 0, states.tokens);
  }

  /**
   * Vectors of length 1, one for every `pooled` neighbouring tokens, row by row: what late interaction compares
   * (Khattab and Zaharia 2020, "ColBERT"; neighbours are pooled as in Clavié, Chaffin and Adams 2024, "Reducing the
   * Footprint of Multi-Vector Retrieval"). The model reads the text window by window, each below the context; `[CLS]`
   * of the first window counts as a token, so that an empty text has a vector.
   */
  async tokenVectors({ context, text, pooled }: TokenInput): Promise<Float32Array> {
    const [first = 0, ...others] = this.tokenizer.encode('').ids;
    const head = this.bare(context).slice(0, MAX_PIECES / 2);
    const body = this.bare(text);
    const size = MAX_PIECES - 1 - others.length - head.length;
    const vectors: Float32Array[] = [];
    let start = 0;
    do {
      const window = body.slice(start, start + size);
      const states = await this.hiddenStates([first, ...head, ...window, ...others]);
      const from = start === 0 ? 0 : 1 + head.length;
      const to = 1 + head.length + window.length;
      for (let row = from; row < to; row += pooled) {
        vectors.push(meanOf(states, row, Math.min(row + pooled, to)));
      }
      start += size;
    } while (start < body.length);
    return joined(vectors);
  }

  async release(): Promise<void> {
    await this.session.release();
  }

  private async hiddenStates(pieces: readonly number[]): Promise<HiddenStates> {
    const shape = [1, pieces.length];
    const { last_hidden_state: hidden } = await this.session.run({
      input_ids: new this.runtime.Tensor('int64', BigInt64Array.from(pieces, BigInt), shape),
      attention_mask: new this.runtime.Tensor('int64', new BigInt64Array(pieces.length).fill(1n), shape),
    });
    const { data, dims } = hidden as Onnx.TypedTensor<'float32'>;
    return { tokens: pieces.length, dimensions: dims[2] ?? 0, values: data };
  }

  /** Ids of the word pieces; a cut text still ends in `[SEP]`. */
  private pieces(text: string): readonly number[] {
    const { ids } = this.tokenizer.encode(text.slice(0, MAX_CHARACTERS));
    if (ids.length <= MAX_PIECES) return ids;
    return [...ids.slice(0, MAX_PIECES - 1), ...ids.slice(-1)];
  }

  /** Ids of all word pieces without the special ones. */
  private bare(text: string): readonly number[] {
    return this.tokenizer.encode(text.slice(0, MAX_CHARACTERS), { add_special_tokens: false }).ids;
  }
}

/** The mean of the rows from `start` up to `end`, scaled to length 1. */
function meanOf({ dimensions, values }: HiddenStates, start: number, end: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let row = start; row < end; row++) {
    for (let d = 0; d < dimensions; d++) {
      vector[d] = (vector[d] ?? 0) + (values[row * dimensions + d] ?? 0);
    }
  }
  toUnitLength(vector);
  return vector;
}

/** The vectors row by row in one array. */
function joined(vectors: readonly Float32Array[]): Float32Array {
  const rows = new Float32Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const vector of vectors) {
    rows.set(vector, at);
    at += vector.length;
  }
  return rows;
}
