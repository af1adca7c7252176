import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import type * as Onnx from 'onnxruntime-node';
import { toUnitLength } from '../unit-length.js';
import type { OnnxRuntime } from './onnx-runtime.js';

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
    const pieces = this.pieces(text);
    const shape = [1, pieces.length];
    const { last_hidden_state: hidden } = await this.session.run({
      input_ids: new this.runtime.Tensor('int64', BigInt64Array.from(pieces, BigInt), shape),
      attention_mask: new this.runtime.Tensor('int64', new BigInt64Array(pieces.length).fill(1n), shape),
    });
    const { data, dims } = hidden as Onnx.TypedTensor<'float32'>;
    const vector = new Float32Array(dims[2] ?? 0);
    for (let row = 0; row < data.length; row += vector.length) {
      for (let d = 0; d < vector.length; d++) vector[d] = (vector[d] ?? 0) + (data[row + d] ?? 0);
    }
    toUnitLength(vector);
    return vector;
  }

  async release(): Promise<void> {
    await this.session.release();
  }

  /** Ids of the word pieces; a cut text still ends in `[SEP]`. */
  private pieces(text: string): readonly number[] {
    const { ids } = this.tokenizer.encode(text.slice(0, MAX_CHARACTERS));
    if (ids.length <= MAX_PIECES) return ids;
    return [...ids.slice(0, MAX_PIECES - 1), ...ids.slice(-1)];
  }
}
