export { compare, isComparable, type Comparison } from './comparison.js';
export {
  expectationOf,
  type Expectation,
  type Expected,
  type Passage,
  type QuestionScope,
} from './expectation.js';
export { figuresOf } from './figures.js';
export { isRun } from './is-run.js';
export { measure, type Completion, type Measured } from './measures.js';
export { byBestChunk, ndcg, recall, reciprocalRank } from './ranking-metrics.js';
export { page } from './report/page.js';
export { about, comparing, figures, latencyPlot, rankPlot, worstQuestions } from './report/sections.js';
export type { Html } from './report/html.js';
export { comparisonSummary, summary } from './report/summary.js';
export type { Found, QuestionResult, Run } from './run.types.js';
export { isSayable, says } from './says.js';
