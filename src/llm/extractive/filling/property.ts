import { contentTerms } from '../../../lexical/analyse.js';
import type { Candidate } from '../candidates.js';
import { OTHER_FORMS, rank } from '../ranking.js';
import { unitAsked } from './units.js';

/** Names that say nothing about what is wanted: the question itself does. */
const GENERIC = new Set(
  `answer value result response text output completion content data summary description name item items list
    unit`.split(/\s+/),
);

/** Words of a name that say in what form a value is wanted rather than of what. */
const FORM_WORDS = new Set(
  contentTerms(`maximum minimum max min total overall average number count amount quantity id date time day email mail
    phone url uri uuid ipv4 flag status type kind percent percentage rate currency`),
);

const MIN_SUPPORT = 0.3;

/** What a property asks for. */
export interface Asked {
  /** Its names and its description in words, or the question if those are generic. */
  readonly words: string;
  /** Words that a sentence must have one of to speak of it; none when the question itself is asked. */
  readonly heads: readonly string[];
  readonly isQuestion: boolean;
}

/** A value found in a sentence, at its offset there. */
export interface Found {
  readonly value: unknown;
  readonly at: number;
}

/** Finds values of one type in a sentence, in the order they stand. */
export type Finder = (sentence: string) => Found[];

/** `warrantyMonths`, `warranty_months`: the words of a property's name. */
export function wordsOf(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./]+/g, ' ')
    .trim()
    .toLowerCase();
}

/** @param path names from the root of the schema to the property. */
export function askedBy(
  question: string,
  path: readonly string[],
  { title, description }: Readonly<Record<string, unknown>>,
): Asked {
  const described = [title, description].filter((text) => typeof text === 'string').join(' ');
  const names = path.slice(-2).filter((name) => !GENERIC.has(name.toLowerCase()));
  const words = [...names.map(wordsOf), described].filter((text) => text !== '').join(' ');
  if (contentTerms(words).length === 0) return { words: question, heads: [], isQuestion: true };
  const heads = [headOf(names.at(-1) ?? '') ?? headOf(names.at(-2) ?? ''), headOf(described)];
  return { words, heads: heads.flatMap(formsOf), isQuestion: false };
}

/** The noun of a name: its last word that is no unit and no form (`warranty` of `warranty_months`). */
function headOf(name: string): string | null {
  const words = wordsOf(name)
    .split(/\s+/)
    .filter((word) => unitAsked(word) === null);
  return words.flatMap(contentTerms).findLast((term) => !FORM_WORDS.has(term)) ?? null;
}

function formsOf(term: string | null): readonly string[] {
  return term === null ? [] : [term, ...(OTHER_FORMS.get(term) ?? [])];
}

/** Sentences that a property's value may stand in, best first: they, or what introduces them, speak of it. */
export function sentencesFor({ words, heads }: Asked, candidates: readonly Candidate[]): Candidate[] {
  return rank(words, candidates)
    .filter(
      ({ support, candidate: { terms, introduction, previous } }) =>
        support >= MIN_SUPPORT &&
        (heads.length === 0 ||
          heads.some((head) => terms.has(head) || introduction.has(head) || previous.has(head))),
    )
    .map(({ candidate }) => candidate);
}

/** Where in a sentence the words of a property stand, for choosing the value next to them; 0 when they do not. */
export function placeOf(words: string, sentence: string): number {
  const wanted = new Set(contentTerms(words));
  for (const match of sentence.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (contentTerms(match[0]).some((term) => wanted.has(term))) return match.index;
  }
  return 0;
}

/** Values of the sentences, of each sentence the one nearest to the words of the property first. */
export function* nearestFirst({ words }: Asked, sentences: readonly Candidate[], find: Finder): Generator {
  for (const { sentence } of sentences) {
    const place = placeOf(words, sentence.text);
    // A value mostly follows its name: one before it counts as farther away.
    const distance = ({ at }: Found): number => (at >= place ? at - place : 2 * (place - at));
    for (const { value } of find(sentence.text).sort((a, b) => distance(a) - distance(b))) yield value;
  }
}
