/**
 * Interface to a model that scores how well each passage answers a query. The model is slower than the search, but its
 * scores are better than the scores of the search.
 *
 * Throws `ProviderFailed`, `TooManyRequests` and `DeadlineExceeded` of the endpoint, and the abort reason of the
 * current request.
 */
export abstract class Reranker {
  /** Name of the model in logs and responses. */
  abstract readonly model: string;

  /**
   * Returns one score in [0, 1] per passage, in the order of the passages; higher is better. The score of a passage
   * does not depend on the other passages.
   */
  abstract rerank(query: string, passages: readonly string[]): Promise<number[]>;
}
