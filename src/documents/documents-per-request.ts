/** Documents that one request may name. */
export const MOST_DOCUMENTS = 1_000;
