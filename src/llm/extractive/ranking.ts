import { inverseFrequency, sentenceFrequencies } from '../passages/support.js';
import { contentTerms } from '../../lexical/analyse.js';
import { answerKindOf, carries, type AnswerKind } from './answer-kind.js';
import type { Candidate } from './candidates.js';

export interface Ranked {
  readonly candidate: Candidate;
  readonly score: number;
  /** Weighted share of the question's terms found in the sentence or around it, in [0, 1]. */
  readonly support: number;
}

/** What a term is worth when it stands not in the sentence but around it. */
const IN_INTRODUCTION = 0.7;
const IN_PREVIOUS = 0.45;
const IN_PASSAGE = 0.25;

const RIGHT_KIND = 0.3;
const ADJACENT_TERMS = 0.15;
const PASSAGE_RANK = 0.12;
const IS_QUESTION = -0.5;
const IS_FRAGMENT = -0.15;
const IS_LONG = -0.1;
const LONG = 500;

const MIN_SENTENCES = 10;

const UNKNOWN_TERM = 0.4;
const UNKNOWN_LIGHT_WORD = 0.05;
const UNKNOWN_NAME = 2;

/** A question term, with the words that an answer may have in its place, and its weight among these candidates. */
interface Weighted {
  readonly forms: readonly string[];
  readonly weight: number;
}

/**
 * Words of a question that an answer rarely repeats: what is measured is in the form of the question ("how long"), and
 * what something does is in the noun.
 */
const LIGHT_WORDS = new Set(
  contentTerms(`long heavy fast tall wide deep big large far high hot cold old thick last take work happen need go come make
    find look mean use say show help become keep put left available possible different type kind name called`),
);

/** A question names a measure by its adjective or verb, an answer by its noun. */
export const OTHER_FORMS: ReadonlyMap<string, readonly string[]> = new Map(
  `heavy: weight weigh mass; weigh: weight mass; weight: weigh heavy mass; length: long; height: tall high; width: wide;
  depth: deep; speed: fast; age: old; long: length duration; tall: height; high: height; wide: width; deep: depth;
  thick: thickness; fast: speed; quick: speed; far: distance range; big: size dimensions; large: size dimensions;
  hot: temperature; cold: temperature; old: age; loud: noise; cost: price fee; expensive: price cost fee;
  price: cost fee; start: begin; begin: start; buy: purchase; fix: repair`
    .split(';')
    .map((line) => {
      const [word = '', ...forms] = contentTerms(line);
      return [word, forms];
    }),
);

/** Candidates by how well they support the question, best first; equal ones in the order of the passages. */
export function rank(question: string, candidates: readonly Candidate[]): Ranked[] {
  const sequence = contentTerms(question);
  const weighted = weigh(question, candidates);
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  const kind = answerKindOf(question);
  const bestScore = Math.max(...candidates.map(({ passage }) => passage.score), 0);
  return candidates
    .map((candidate): Ranked => {
      const support = total === 0 ? 0 : supportOf(candidate, weighted) / total;
      return { candidate, support, score: support + bonuses(candidate, kind, sequence, bestScore) };
    })
    .sort((a, b) => b.score - a.score);
}

/**
 * Terms that no candidate has say little about which sentence is best, so they weigh less than one that a single
 * sentence has; but a name or number that is nowhere (another product, another year) says that the passages are
 * about something else.
 */
function weigh(question: string, candidates: readonly Candidate[]): Weighted[] {
  const frequencies = frequenciesAmong(candidates);
  const names = namesIn(question);
  return [...new Set(contentTerms(question))].map((term) => {
    const forms = [term, ...(OTHER_FORMS.get(term) ?? [])];
    const found = Math.max(...forms.map((form) => frequencies.get(form) ?? 0));
    // Among a handful of sentences frequencies say little.
    const weight = inverseFrequency(Math.max(found, 1), Math.max(candidates.length, MIN_SENTENCES));
    if (found > 0) return { forms, weight };
    return { forms, weight: weight * unknownShare(term, names) };
  });
}

function unknownShare(term: string, names: ReadonlySet<string>): number {
  if (names.has(term)) return UNKNOWN_NAME;
  return LIGHT_WORDS.has(term) ? UNKNOWN_LIGHT_WORD : UNKNOWN_TERM;
}

/** Counted once for all that is asked of the same candidates. */
const counted = new WeakMap<readonly Candidate[], ReadonlyMap<string, number>>();

function frequenciesAmong(candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  const known = counted.get(candidates);
  if (known !== undefined) return known;
  const frequencies = sentenceFrequencies(
    candidates.map(({ terms, introduction }) => new Set([...terms, ...introduction])),
  );
  counted.set(candidates, frequencies);
  return frequencies;
}

/** Terms of words with a capital inside the question, and of words with digits. */
function namesIn(question: string): Set<string> {
  const words = question.match(/(?<=\S\s+)\p{Lu}[\p{L}\p{N}-]*|[\p{L}-]*\d[\p{L}\p{N}.-]*/gu) ?? [];
  return new Set(words.flatMap((word) => contentTerms(word)));
}

function supportOf(candidate: Candidate, weighted: readonly Weighted[]): number {
  let support = 0;
  for (const { forms, weight } of weighted) {
    const has = (terms: ReadonlySet<string>): boolean => forms.some((form) => terms.has(form));
    if (has(candidate.terms)) support += weight;
    else if (has(candidate.introduction)) support += weight * IN_INTRODUCTION;
    else if (has(candidate.previous)) support += weight * IN_PREVIOUS;
    else if (has(candidate.passageTerms)) support += weight * IN_PASSAGE;
  }
  return support;
}

function bonuses(
  candidate: Candidate,
  kind: AnswerKind | null,
  question: readonly string[],
  bestScore: number,
): number {
  const { sentence, passage, isQuestion } = candidate;
  let bonus = bestScore > 0 ? PASSAGE_RANK * (passage.score / bestScore) : 0;
  if (kind !== null && carries(sentence.text, kind)) bonus += RIGHT_KIND;
  bonus += ADJACENT_TERMS * adjacency(question, candidate.sequence);
  if (isQuestion) bonus += IS_QUESTION;
  if (isFragment(candidate)) bonus += IS_FRAGMENT;
  if (sentence.text.length > LONG) bonus += IS_LONG;
  return bonus;
}

/** Share of the question's neighbouring term pairs that stand next to each other in the sentence. */
function adjacency(question: readonly string[], sentence: readonly string[]): number {
  if (question.length < 2) return 0;
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < sentence.length; i++) pairs.add(`${sentence[i] ?? ''} ${sentence[i + 1] ?? ''}`);
  let shared = 0;
  for (let i = 0; i + 1 < question.length; i++) {
    if (pairs.has(`${question[i] ?? ''} ${question[i + 1] ?? ''}`)) shared += 1;
  }
  return shared / (question.length - 1);
}

/** A sentence that a chunk's edge cut off at its beginning or end. */
function isFragment({ sentence, position, passage }: Candidate): boolean {
  if (sentence.kind !== 'prose') return false;
  const headless = position === 0 && /^[\p{Ll},;)]/u.test(sentence.text);
  const endless =
    sentence.end >= passage.text.trimEnd().length && !/[.!?…。！？:：]["'”’)\]」』]*$/.test(sentence.text);
  return headless || (endless && sentence.text.length > 80);
}
