/**
 * Port: how well each passage answers a query, judged by a second and slower look than the first stage takes.
 *
 * Failures: `ProviderFailed`, `TooManyRequests` and `DeadlineExceeded` of the endpoint, and the reason of the signal of
 * the present request when the caller left.
 */
export abstract class Reranker {
  /** Names the model in logs and answers. */
  abstract readonly model: string;

  /**
   * One score in [0, 1] a passage, in the order of the passages; more is better. A passage's score does not depend on
   * the other passages.
   */
  abstract rerank(query: string, passages: readonly string[]): Promise<number[]>;
}
