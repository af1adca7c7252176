/** What a thread is started with. */
export interface ModelThreadData {
  /** Of the model's files. */
  readonly folder: string;
  /** Whether the threads that answer requests go before it. */
  readonly background: boolean;
}

/** A text of which many vectors are asked, one for every few tokens. */
export interface TokenInput {
  /** Stands above every window of the text, and has vectors of its own once. */
  readonly context: string;
  readonly text: string;
  /** How many neighbouring tokens share a vector. */
  readonly pooled: number;
}

/** A text for one vector of it all, or for those of its tokens. */
export type ModelInput = string | TokenInput;

/** What the client asks of the worker: texts to run through the model, or a job to forget. */
export type TextModelRequest =
  | { readonly type: 'run'; readonly id: number; readonly inputs: readonly ModelInput[] }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'close' };

export type RunRequest = Extract<TextModelRequest, { type: 'run' }>;

/** What the worker answers: an array an input, of one vector or of several in a row. */
export type TextModelReply =
  | { readonly type: 'started' }
  | { readonly type: 'vectors'; readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly type: 'failed'; readonly id: number; readonly message: string };
