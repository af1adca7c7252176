/**
 * The numbers that choose the way of a search, with what each was measured by: on 2 cores, PostgreSQL 15 with pgvector 0.8 and
 * 100,000 chunks of 384 dimensions (docs/performance.md). Ratios carry over to other machines. Limits on the form of a
 * predicate stand beside it in src/filters.
 */

/**
 * Matching chunks up to which every one is counted and scored, with a look-up for each of them and each word. Above this
 * it is quicker to measure every one and to look frequent words up for the best only, which hardly misses one.
 */
export const EXACT_LIMIT = 200;

/** Chunks that a wrong estimate may lead to being scored before the search turns to candidates. */
export const EXACT_GUARD = 2 * EXACT_LIMIT;

/** A look-up of one posting costs about this many that are read one after the other. */
export const PROBE_COST = 3;

/** Matching chunks up to which all of them are measured: a walk, which may miss some, would hardly be quicker. */
export const SCAN_LIMIT = 1_000;

/** Matching chunks up to which a scan looks them up document by document, however PostgreSQL judges the filter. */
export const LOOK_UP_LIMIT = 5_000;

/** Part of the corpus from which reading all of it is quicker than looking chunks up, on one core. */
export const LOOK_UP_SHARE = 0.15;

/** Part of the corpus from which reading every document is quicker than looking them up in a part of the filter. */
export const MAX_PART_SHARE = 0.25;

/** Postings read for the lexical candidates: recall@100 .95 of reading all of them. */
export const POSTINGS_BUDGET = 4_000;

/** Postings up to which all terms are read rather than the rarest ones only. */
export const ALL_POSTINGS_LIMIT = 12_000;

/** Chunks of the index that a walk looks at before it gives up; pgvector's `hnsw.max_scan_tuples`. */
export const MAX_WALK = 20_000;

/** What it costs to measure a matching chunk, in units of a step of a walk through the index and its look-up. */
export const MEASURING = 0.42;

/** The same where documents are looked up by their ids, one after the other, on one core. */
export const MEASURING_IN_PART = 0.6;

/** Steps up to which a first round is quick enough to be tried before the last one. */
export const QUICK_WALK = 1_500;

/** Length of the index's dynamic list in the first round and in the last one: recall@10 .91 and .99. */
export const QUICK_LIST = 100;
export const LONG_LIST = 1_000;

/** Candidates from each side in the first round: four questions of five end there. */
export function quickCandidates(limit: number): number {
  return 80 + 2 * limit;
}

/** Candidates from each side in the last round: room for the two sides to disagree. */
export function allCandidates(limit: number): number {
  return 350 + Math.ceil(1.5 * limit);
}

/** Documents and neighbours of the query that a selection is tried on, and parts of its filter that are counted. */
export const SAMPLED_DOCUMENTS = 400;
export const SAMPLED_NEIGHBOURS = 100;
export const SAMPLED_PARTS = 8;

/** How many neighbours of the sample the selectivity over all documents weighs as much as. */
export const PRIOR_NEIGHBOURS = 60;

/** From this share of the index on, a tenant's chunks are found in it as if it were alone. */
export const MAIN_SHARE_OF_INDEX = 0.5;

/** Chunks with the best words that are looked at in any case: they tell whether a walk missed what is near. */
export const LEXICAL_CHECKS = 100;

/**
 * A graph index sometimes leads a walk to a wrong neighbourhood, where it finds hardly any near chunk (16 of 150 questions
 * over the synthetic corpus at a list of 100, one at 1,000). The lexical candidates show it: then most that are nearer
 * than the walk's last chunk are not among what it found. A good walk misses one in a hundred.
 */
export const MISSED_BY_CHANCE = 1;
