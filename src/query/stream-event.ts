import type { CompletionResponse } from './query.types.js';

/** An event of `stream_response: true`. A failure after the first one becomes `error`, which the sender writes. */
export type StreamEvent =
  | { readonly type: 'assistant'; readonly content: string }
  | ({ readonly type: 'done'; readonly completion?: unknown } & Omit<CompletionResponse, 'completion'>);
