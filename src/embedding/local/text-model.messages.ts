import type { LocalModel } from '../../config/local-models.js';

/** What a thread is started with. */
export interface ModelThreadData extends LocalModel {
  /** Of the model's files. */
  readonly folder: string;
}

/** What the client asks of the worker: texts to run through the model, or a job to forget. */
export type TextModelRequest =
  | { readonly type: 'run'; readonly id: number; readonly texts: readonly string[] }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'close' };

export type RunRequest = Extract<TextModelRequest, { type: 'run' }>;

/** What the worker answers: a vector a text. */
export type TextModelReply =
  | { readonly type: 'started' }
  | { readonly type: 'vectors'; readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly type: 'failed'; readonly id: number; readonly message: string };
