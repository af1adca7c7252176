import type { MultiVector } from './page-embedder.js';

/** Whether an image is stored, or asked with: some models embed the two differently. */
export type ImageUse = 'page' | 'question';

/**
 * One wire format: how a kind of server takes texts and images, and where its answer has the vectors. One method, one
 * call. Repeating, batching and comparing lengths are the caller's.
 */
export interface MultiVectorServer {
  /** Images that fit into one call. */
  readonly imagesPerCall: number;
  /** @throws UnusableAnswer when the answer is no vectors. */
  question(text: string, signal: AbortSignal): Promise<MultiVector>;
  /** @param images PNG. @returns one an image, in order. @throws UnusableAnswer when the answer is something else. */
  images(images: readonly Uint8Array[], use: ImageUse, signal: AbortSignal): Promise<readonly MultiVector[]>;
}
