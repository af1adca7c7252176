import { answerKindOf, carries } from './answer-kind.js';
import type { Candidate } from './candidates.js';
import type { Ranked } from './ranking.js';

/** Below this share of the question's weight no sentence counts as supporting an answer. */
const LEAST_SUPPORT = 0.3;
/** The same for a sentence without the number, date or name that the question asks for. */
const LEAST_SUPPORT_WITHOUT_KIND = 0.65;
/** A further sentence must come this near to the best one. */
const NEAR_BEST = 0.75;
const MOST_SENTENCES = 3;
/** Steps of one list that follow its introduction. */
const MOST_STEPS = 10;
/** Share of terms from which two sentences say the same. */
const SAME = 0.6;

/**
 * Sentences that answer the question, in reading order: passages by their best sentence, each passage's sentences as
 * they stand. Empty when no sentence supports an answer.
 */
export function select(
  question: string,
  ranked: readonly Ranked[],
  candidates: readonly Candidate[],
): Candidate[] {
  const best = ranked[0];
  if (best === undefined || best.support < leastSupport(question, best.candidate)) return [];
  const steps = stepsAfter(best.candidate, candidates, answerKindOf(question) === 'procedure');
  if (steps.length > 0) return steps;
  const chosen: Candidate[] = [];
  for (const { candidate, score, support } of ranked) {
    if (chosen.length === MOST_SENTENCES || score < NEAR_BEST * best.score || support < LEAST_SUPPORT) break;
    if (strays(question, best.candidate, candidate)) continue;
    if (!candidate.isQuestion && !chosen.some((other) => saySame(other, candidate))) chosen.push(candidate);
  }
  return inReadingOrder(chosen.flatMap((candidate) => withAntecedent(candidate, candidates)));
}

/** Reasons and procedures are put in too many ways to be missed by their form. */
function leastSupport(question: string, { sentence }: Candidate): number {
  const kind = answerKindOf(question);
  const certain = kind === null || kind === 'reason' || kind === 'procedure' || carries(sentence.text, kind);
  return certain ? LEAST_SUPPORT : LEAST_SUPPORT_WITHOUT_KIND;
}

/** Where the best sentence has the number or date that was asked for, one without it adds nothing. */
function strays(question: string, best: Candidate, other: Candidate): boolean {
  const kind = answerKindOf(question);
  if (kind === null || kind === 'reason' || kind === 'procedure') return false;
  return carries(best.sentence.text, kind) && !carries(other.sentence.text, kind);
}

function saySame(a: Candidate, b: Candidate): boolean {
  let shared = 0;
  for (const term of a.terms) if (b.terms.has(term)) shared += 1;
  const smaller = Math.min(a.terms.size, b.terms.size);
  const union = a.terms.size + b.terms.size - shared;
  return a === b || (smaller > 0 && (shared / union >= SAME || shared === smaller));
}

const ANAPHOR = /^(?:it|this|that|they|these|those|he|she|such|其|该|它|それ|これ)(?:\b|(?=\p{sc=Han}))/iu;

/** A sentence that begins with a pronoun brings the one before it, without which it cannot be read. */
function withAntecedent(candidate: Candidate, candidates: readonly Candidate[]): Candidate[] {
  const before = candidates[candidates.indexOf(candidate) - 1];
  const sameBlock =
    before?.passage === candidate.passage && before.sentence.block === candidate.sentence.block;
  return ANAPHOR.test(candidate.sentence.text) && sameBlock && !before.isQuestion
    ? [before, candidate]
    : [candidate];
}

function inReadingOrder(chosen: readonly Candidate[]): Candidate[] {
  const passages = [...new Set(chosen.map(({ passage }) => passage))];
  return [...new Set(chosen)].sort(
    (a, b) =>
      passages.indexOf(a.passage) - passages.indexOf(b.passage) || a.sentence.start - b.sentence.start,
  );
}

/**
 * The list that belongs to the best sentence: what follows an introduction that ends in a colon, or, for a
 * question about a procedure, the run of steps the sentence is part of.
 */
function stepsAfter(best: Candidate, candidates: readonly Candidate[], wantsProcedure: boolean): Candidate[] {
  const at = candidates.indexOf(best);
  const introduces = /[:：]$/.test(best.sentence.text);
  const isItem = (index: number): boolean =>
    candidates[index]?.passage === best.passage && candidates[index].sentence.kind === 'item';
  if (introduces && isItem(at + 1)) {
    let end = at + 1;
    while (isItem(end) && end - at <= MOST_STEPS) end += 1;
    return candidates.slice(at, end);
  }
  if (!wantsProcedure || best.sentence.kind !== 'item') return [];
  let start = at;
  while (isItem(start - 1)) start -= 1;
  const before = candidates[start - 1];
  if (before?.passage === best.passage && /[:：]$/.test(before.sentence.text)) start -= 1;
  let end = at + 1;
  while (isItem(end) && end - start < MOST_STEPS) end += 1;
  return end - start > 1 ? candidates.slice(start, end) : [];
}
