import { join } from 'node:path';
import type * as Onnx from 'onnxruntime-node';
import { loadLocalTokenizer, type LocalTokenizer } from '#reader';
import type { LocalModel } from '../../../config/local-models.js';
import { toUnitLength } from '../unit-length.js';
import type { OnnxRuntime } from './onnx-runtime.js';

/** Maximum number of tokenised characters, far above every model's maximum length. */
const MAX_CHARACTERS = 65_536;

/**
 * Disables spinning between operators. With one query every 50 ms, the process then uses 6% of a core instead of 86%.
 * The throughput falls by at most a tenth.
 */
const WITHOUT_SPINNING = { session: { intra_op: { allow_spinning: '0' } } };

export interface ModelThreadData extends LocalModel {
  readonly folder: string;
  /** Number of cores that one text uses. */
  readonly cores: number;
}

/** A BERT-like text model in ONNX. Runs one text at a time, without padding, so that vectors do not depend on a batch. */
export class TextModel {
  private constructor(
    private readonly runtime: OnnxRuntime,
    private readonly tokenizer: LocalTokenizer,
    private readonly session: Onnx.InferenceSession,
    private readonly maxTokens: number,
  ) {}

  static async load(
    runtime: OnnxRuntime,
    { folder, file, tokenizer, maxTokens, cores }: ModelThreadData,
  ): Promise<TextModel> {
    const session = await runtime.InferenceSession.create(join(folder, file), {
      intraOpNumThreads: cores,
      extra: WITHOUT_SPINNING,
    });
    return new TextModel(runtime, await loadLocalTokenizer({ kind: tokenizer, folder }), session, maxTokens);
  }

  /** Returns the mean of all token vectors, scaled to length 1 (Reimers and Gurevych 2019, section 3). */
  async textVector(text: string): Promise<Float32Array> {
    const tokens = this.tokens(text);
    const shape = [1, tokens.length];
    const { last_hidden_state: hidden } = await this.session.run({
      input_ids: new this.runtime.Tensor('int64', BigInt64Array.from(tokens, BigInt), shape),
      attention_mask: new this.runtime.Tensor('int64', new BigInt64Array(tokens.length).fill(1n), shape),
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

  /** Returns token ids. Truncates a longer text to the model's maximum length, but keeps the special end token. */
  private tokens(text: string): readonly number[] {
    const ids = this.tokenizer.encode(text.slice(0, MAX_CHARACTERS));
    return ids.length <= this.maxTokens ? ids : [...ids.slice(0, this.maxTokens - 1), ...ids.slice(-1)];
  }
}
