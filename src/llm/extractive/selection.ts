import { answerKindOf, carries, type AnswerKind } from './answer-kind.js';
import { itemsOf, type Candidate } from './candidates.js';
import { contentTerms } from '../../lexical/analyse.js';
import { isNamedRow, type Ranked } from './ranking.js';

/** Below this share of the question's weight no sentence counts as supporting an answer. */
const MIN_SUPPORT = 0.3;
/** The same for a sentence without the number, date or name that the question asks for. */
const MIN_SUPPORT_WITHOUT_KIND = 0.65;
/** A further sentence must come this near to the best one. */
const NEAR_BEST = 0.92;
const MAX_SENTENCES = 3;
/** Steps of one list that follow its introduction. */
const MAX_STEPS = 10;
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
  const kind = answerKindOf(question);
  if (best === undefined || best.support < minSupport(kind, best.candidate)) return [];
  const steps = stepsAfter(best.candidate, candidates, kind === 'procedure');
  if (steps.length > 0) return steps;
  const chosen =
    best.candidate.sentence.kind === 'row'
      ? rowsNamed(question, best.candidate, ranked)
      : sentencesNear(kind, best, ranked);
  return inReadingOrder(chosen.flatMap((candidate) => withAntecedent(candidate, candidates)));
}

function sentencesNear(kind: AnswerKind | null, best: Ranked, ranked: readonly Ranked[]): Candidate[] {
  const chosen: Candidate[] = [];
  for (const { candidate, score, support } of ranked) {
    if (chosen.length === MAX_SENTENCES || score < NEAR_BEST * best.score || support < MIN_SUPPORT) break;
    if (addsNothing(kind, best.candidate, candidate)) continue;
    if (!candidate.isQuestion && !chosen.some((other) => saySame(other, candidate))) chosen.push(candidate);
  }
  return chosen;
}

/** A cell is the answer, or one of each row of the table that the question calls by its whole name. */
function rowsNamed(question: string, best: Candidate, ranked: readonly Ranked[]): Candidate[] {
  const asked = new Set(contentTerms(question));
  const chosen = [best];
  if (!isNamedRow(best.sentence, asked)) return chosen;
  const known = new Set(best.terms);
  for (const { candidate, support } of ranked) {
    if (chosen.length === MAX_SENTENCES || support < MIN_SUPPORT) break;
    const { sentence, terms, columns } = candidate;
    const isOther = [...terms].some((term) => asked.has(term) && !known.has(term));
    const isOfTable = columns.join('|') === best.columns.join('|');
    if (!isOther || !isOfTable || !isNamedRow(sentence, asked)) continue;
    chosen.push(candidate);
    for (const term of terms) known.add(term);
  }
  return chosen;
}

/** Reasons and procedures are put in too many ways to be missed by their form. */
function minSupport(kind: AnswerKind | null, { sentence }: Candidate): number {
  const certain = kind === null || kind === 'reason' || kind === 'procedure' || carries(sentence, kind);
  return certain ? MIN_SUPPORT : MIN_SUPPORT_WITHOUT_KIND;
}

/** Where the best sentence has the number or date that was asked for, one without it adds nothing. */
function addsNothing(kind: AnswerKind | null, best: Candidate, other: Candidate): boolean {
  if (kind === null || kind === 'reason' || kind === 'procedure') return false;
  return carries(best.sentence, kind) && !carries(other.sentence, kind);
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
 * The list that belongs to the best sentence with its introduction: what follows a colon, or, for a question about a
 * procedure, the run of steps the sentence is part of.
 */
function stepsAfter(best: Candidate, candidates: readonly Candidate[], wantsProcedure: boolean): Candidate[] {
  if (!best.introduces && !wantsProcedure) return [];
  const items = itemsOf(best, candidates);
  const before = items[0] && candidates[candidates.indexOf(items[0]) - 1];
  const isIntroduced = before?.introduces === true && before.passage === best.passage;
  const steps = [...(isIntroduced ? [before] : []), ...items.slice(0, MAX_STEPS)];
  return steps.length > 1 ? steps : [];
}
