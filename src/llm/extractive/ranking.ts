import { cellsOf, type Sentence } from '../passages/sentences.js';
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
/** A row that the question calls by its whole name, not by a part of it. */
const NAMED_ROW = 0.15;
const PASSAGE_RANK = 0.12;
const IS_QUESTION = -0.5;
const IS_FRAGMENT = -0.15;
const IS_LONG = -0.1;
const LONG = 500;

const MIN_SENTENCES = 10;

const UNKNOWN_TERM = 0.4;
const UNKNOWN_LIGHT_WORD = 0.05;
/** A code, or a name that is nowhere. */
const NAME_WEIGHT = 2;
const CODE_TERM = /^\p{L}+\d|^\d+\p{L}/u;

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
  hot: temperature; cold: temperature; old: age; loud: noise; cost: price fee fare; expensive: price cost fee fare;
  price: cost fee fare; fare: price; start: begin; begin: start; buy: purchase; fix: repair`
    .split(';')
    .map((line) => {
      const [word = '', ...forms] = contentTerms(line);
      return [word, forms];
    }),
);

/** Candidates by how well they support the question, best first; equal ones in the order of the passages. */
export function rank(question: string, candidates: readonly Candidate[]): Ranked[] {
  const wanted = new WantedTerms(weigh(question, candidates));
  const asked: Asked = {
    kind: answerKindOf(question),
    numbers: new Set(question.match(NUMBER)),
    terms: new Set(contentTerms(question)),
    pairs: pairsOf(contentTerms(question)),
    bestScore: candidates.reduce((best, { passage }) => Math.max(best, passage.score), 0),
  };
  return candidates
    .map((candidate): Ranked => {
      const support = wanted.supportIn(candidate);
      return { candidate, support, score: support + bonuses(candidate, asked) };
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
    if (found > 0) return { forms, weight: CODE_TERM.test(term) ? NAME_WEIGHT * weight : weight };
    return { forms, weight: weight * (names.has(term) ? NAME_WEIGHT : unknownShare(term)) };
  });
}

function unknownShare(term: string): number {
  return LIGHT_WORDS.has(term) ? UNKNOWN_LIGHT_WORD : UNKNOWN_TERM;
}

/** Counted once for all that is asked of the same candidates. */
const counted = new WeakMap<readonly Candidate[], ReadonlyMap<string, number>>();

function frequenciesAmong(candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  const known = counted.get(candidates);
  if (known !== undefined) return known;
  const frequencies = sentenceFrequencies(
    candidates.map(
      ({ terms, introduction, tableHead }) => new Set([...terms, ...introduction, ...tableHead]),
    ),
  );
  counted.set(candidates, frequencies);
  return frequencies;
}

const NUMBER = /\d+(?:[.,:]\d+)*/g;
const NAME = /^\p{Lu}[\p{L}\p{N}-]*/u;
const CODE = /[\p{L}\p{N}.-]+/gu;

/** Terms of words with a capital inside the question, and of words with digits. */
function namesIn(question: string): Set<string> {
  const words = (question.match(/\S+/g) ?? []).flatMap((written, position) => {
    const name = position === 0 ? null : NAME.exec(written);
    const codes = (written.match(CODE) ?? []).flatMap(fromDigits);
    return name === null ? codes : [name[0], ...codes];
  });
  return new Set(words.flatMap((word) => contentTerms(word)));
}

/** A code from the letters before its first digit on; nothing where it has none. */
function fromDigits(code: string): string[] {
  const digit = code.search(/\d/);
  if (digit === -1) return [];
  const letters =
    code
      .slice(0, digit)
      .split(/[^\p{L}-]/u)
      .at(-1) ?? '';
  return [letters + code.slice(digit)];
}

/** The terms of a question, found by the terms of a candidate: how long the question is does not matter then. */
class WantedTerms {
  private readonly byForm = new Map<string, Weighted[]>();
  private readonly total: number;
  private readonly inPassages = new Map<ReadonlySet<string>, number>();

  constructor(weighted: readonly Weighted[]) {
    this.total = sumOf(weighted);
    for (const each of weighted) {
      for (const form of each.forms) {
        const wanting = this.byForm.get(form);
        if (wanting === undefined) this.byForm.set(form, [each]);
        else wanting.push(each);
      }
    }
  }

  /** Weighted share of the terms that a candidate has in itself or around it, in [0, 1]. */
  supportIn({ terms, introduction, tableHead, previous, passageTerms }: Candidate): number {
    if (this.total === 0) return 0;
    const near = new Map<Weighted, number>();
    for (const each of this.amongst(terms)) near.set(each, 1);
    for (const above of [introduction, tableHead]) {
      for (const each of this.amongst(above)) if (!near.has(each)) near.set(each, IN_INTRODUCTION);
    }
    for (const each of this.amongst(previous)) if (!near.has(each)) near.set(each, IN_PREVIOUS);
    // What stands near stands in the passage as well, and counts once.
    let support = IN_PASSAGE * this.weightIn(passageTerms);
    for (const [each, share] of near) support += (share - IN_PASSAGE) * each.weight;
    return support / this.total;
  }

  private weightIn(passageTerms: ReadonlySet<string>): number {
    const known = this.inPassages.get(passageTerms);
    if (known !== undefined) return known;
    const weight = sumOf(this.amongst(passageTerms));
    this.inPassages.set(passageTerms, weight);
    return weight;
  }

  /** Those that one of the terms stands for. */
  private amongst(terms: ReadonlySet<string>): ReadonlySet<Weighted> {
    return new Set([...terms].flatMap((term) => this.byForm.get(term) ?? []));
  }
}

function sumOf(weighted: Iterable<Weighted>): number {
  let sum = 0;
  for (const { weight } of weighted) sum += weight;
  return sum;
}

/** What the bonuses need to know of the question and of all passages. */
interface Asked {
  readonly kind: AnswerKind | null;
  /** Those that the question has itself, which answer nothing. */
  readonly numbers: ReadonlySet<string>;
  readonly terms: ReadonlySet<string>;
  /** Neighbouring terms of the question, each with its share of all of them. */
  readonly pairs: ReadonlyMap<string, number>;
  readonly bestScore: number;
}

function bonuses(candidate: Candidate, { kind, numbers, terms, pairs, bestScore }: Asked): number {
  const { sentence, passage, isQuestion } = candidate;
  let bonus = bestScore > 0 ? PASSAGE_RANK * (passage.score / bestScore) : 0;
  const text = sentence.text.replaceAll(NUMBER, (number) => (numbers.has(number) ? '' : number));
  if (kind !== null && carries({ ...sentence, text }, kind)) bonus += RIGHT_KIND;
  bonus += ADJACENT_TERMS * adjacency(pairs, candidate.sequence);
  if (isNamedRow(sentence, terms)) bonus += NAMED_ROW;
  if (isQuestion) bonus += IS_QUESTION;
  if (isFragment(candidate)) bonus += IS_FRAGMENT;
  if (sentence.text.length > LONG) bonus += IS_LONG;
  return bonus;
}

/** Whether a question has all words of the name of a row. */
export function isNamedRow({ kind, text }: Sentence, asked: ReadonlySet<string>): boolean {
  if (kind !== 'row') return false;
  const name = contentTerms(cellsOf(text)[0] ?? '');
  return name.length > 0 && name.every((term) => asked.has(term));
}

/** Share of the question's neighbouring term pairs that stand next to each other in the sentence. */
function adjacency(pairs: ReadonlyMap<string, number>, sentence: readonly string[]): number {
  let shared = 0;
  if (pairs.size > 0) for (const pair of pairsOf(sentence).keys()) shared += pairs.get(pair) ?? 0;
  return shared;
}

/** Pairs of neighbouring terms, each with its share of all pairs. */
function pairsOf(terms: readonly string[]): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let i = 0; i + 1 < terms.length; i++) {
    const pair = `${terms[i] ?? ''} ${terms[i + 1] ?? ''}`;
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1 / (terms.length - 1));
  }
  return pairs;
}

/** A sentence that a chunk's edge cut off at its beginning or end. */
function isFragment({ sentence, position, passage }: Candidate): boolean {
  if (sentence.kind !== 'prose') return false;
  const headless = position === 0 && /^[\p{Ll},;)]/u.test(sentence.text);
  const endless =
    sentence.end >= passage.text.trimEnd().length && !/[.!?…。！？:：]["'”’)\]」』]*$/.test(sentence.text);
  return headless || (endless && sentence.text.length > 80);
}
