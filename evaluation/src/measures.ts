import type { Expectation, Passage } from './expectation.js';
import { byBestChunk, ndcg, recall, reciprocalRank } from './ranking-metrics.js';
import { says } from './says.js';

/** The text of a completion, and its citations in the order of the text. */
export interface Completion {
  readonly text: string;
  readonly citations: readonly Citation[];
}

export interface Citation extends Passage {
  /** Offsets of the citation marker in the completion. */
  readonly start: number;
  readonly end: number;
}

/** Measures in report order; each in [0, 1], higher is better. */
export const MEASURES = {
  ndcg_at_10: 'nDCG@10',
  reciprocal_rank: 'MRR',
  recall_at_1: 'recall@1',
  recall_at_4: 'recall@4',
  recall_at_10: 'recall@10',
  answer_contained: 'answer containment',
  citation_precision: 'citation precision',
} as const;

export type Measure = keyof typeof MEASURES;

/**
 * The value is null if the question has no expectation for the measure, or if the service returned nothing to measure.
 */
export type Measured = Readonly<Record<Measure, number | null>>;

export const MEASURE_NAMES = Object.keys(MEASURES) as Measure[];

export function measure(
  found: readonly Passage[],
  completion: Completion | null,
  expectation: Expectation | null,
  answers: readonly string[],
): Measured {
  return {
    ...rankingMeasures(found, expectation),
    answer_contained: completion === null ? null : answerContained(completion, answers),
    citation_precision: completion === null ? null : citationPrecision(completion, found, expectation),
  };
}

function rankingMeasures(
  found: readonly Passage[],
  expectation: Expectation | null,
): Omit<Measured, 'answer_contained' | 'citation_precision'> {
  if (expectation === null) {
    return {
      ndcg_at_10: null,
      reciprocal_rank: null,
      recall_at_1: null,
      recall_at_4: null,
      recall_at_10: null,
    };
  }
  const { grades, unitOf } = expectation;
  const ranking = byBestChunk(found.map(unitOf));
  return {
    ndcg_at_10: ndcg(ranking, grades, 10),
    reciprocal_rank: reciprocalRank(ranking, grades),
    recall_at_1: recall(ranking, grades, 1),
    recall_at_4: recall(ranking, grades, 4),
    recall_at_10: recall(ranking, grades, 10),
  };
}

/** 1 if the completion contains one of the answers, otherwise 0. Ignores the text of citations. */
function answerContained({ text, citations }: Completion, answers: readonly string[]): number | null {
  if (answers.length === 0) return null;
  let words = '';
  let end = 0;
  for (const citation of citations) {
    words += `${text.slice(end, citation.start)} `;
    end = citation.end;
  }
  words += text.slice(end);
  return answers.some((answer) => says(words, answer)) ? 1 : 0;
}

/** Share of citations that point at an expected passage; null without citations. */
function citationPrecision(
  { citations }: Completion,
  found: readonly Passage[],
  expectation: Expectation | null,
): number | null {
  if (expectation === null || citations.length === 0) return null;
  const { grades, unitOf } = expectation;
  const right = citations.filter((citation) => grades.has(unitOf(chunkOf(citation, found))));
  return right.length / citations.length;
}

/**
 * Returns the retrieved chunk that a citation refers to. The chunk has the complete content, the citation only one
 * sentence.
 */
function chunkOf(citation: Passage, found: readonly Passage[]): Passage {
  const isCited = ({ documentId, chunkNumber }: Passage): boolean =>
    documentId === citation.documentId && chunkNumber === citation.chunkNumber;
  return found.find(isCited) ?? citation;
}
