import type { MultiVector } from './page-embedder.js';

/** Purpose of an image: some models embed stored pages and image queries differently. */
export type ImageUse = 'page' | 'question';

/**
 * Wire format of one kind of server. Each method makes one call; the caller retries, batches and checks dimensions.
 */
export interface MultiVectorServer {
  /** Maximum number of images per call. */
  readonly imagesPerCall: number;
  /** @throws UnusableAnswer when the response has no vectors. */
  question(text: string, signal: AbortSignal): Promise<MultiVector>;
  /** @param images PNG. @returns one multi-vector per image, in order. @throws UnusableAnswer for any other response. */
  images(images: readonly Uint8Array[], use: ImageUse, signal: AbortSignal): Promise<readonly MultiVector[]>;
}
