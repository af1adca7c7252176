import type { MultiVector } from '../../multivector/page-embedder.js';
import type { EncodedPage } from '../page-encoding.js';

/** What a thread is asked for. */
export type Job =
  /** Stored pages against one question; each page as `encodedPage` made its vectors. */
  | { readonly kind: 'score'; readonly question: MultiVector; readonly pages: readonly Uint8Array[] }
  /** The form in which a page is stored. */
  | { readonly kind: 'encode'; readonly page: MultiVector };

export type Result =
  /** In the order of the pages. */
  | { readonly kind: 'score'; readonly scores: Float64Array<ArrayBuffer> }
  | { readonly kind: 'encode'; readonly page: EncodedPage };

export interface Request {
  readonly id: number;
  readonly job: Job;
}

/** A job that throws ends its thread: there is no other answer. */
export interface Reply {
  readonly id: number;
  readonly result: Result;
}
