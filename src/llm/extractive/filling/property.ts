import type { Candidate } from '../candidates.js';
import { OTHER_FORMS, rank, type Ranked } from '../ranking.js';
import { contentTerms } from '../../../lexical/analyse.js';
import { unitAsked } from './units.js';

/** Names that say nothing about what is wanted: the question itself does. */
const GENERIC = new Set([
  'answer',
  'value',
  'result',
  'response',
  'text',
  'output',
  'completion',
  'content',
  'data',
  'summary',
  'description',
  'name',
  'item',
  'items',
  'list',
  'unit',
]);

/** `warrantyMonths`, `warranty_months`: the words of a property's name. */
export function wordsOf(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./]+/g, ' ')
    .trim()
    .toLowerCase();
}

/** What a property asks for. */
export interface Asked {
  /** Its names and its description in words, or the question if those are generic. */
  readonly words: string;
  /** Words that a sentence must have one of to speak of it; none when the question itself is asked. */
  readonly heads: readonly string[];
  readonly isQuestion: boolean;
}

/** Words of a name that say in what form a value is wanted rather than of what. */
const FORM_WORDS = new Set(
  contentTerms(`maximum minimum max min total overall average number count amount quantity id date time day email mail phone
    url uri uuid ipv4 flag status type kind percent percentage rate currency`),
);

/** @param path names from the root of the schema to the property. */
export function askedBy(
  question: string,
  path: readonly string[],
  schema: Readonly<Record<string, unknown>>,
): Asked {
  const described = [schema['title'], schema['description']]
    .filter((text) => typeof text === 'string')
    .join(' ');
  const names = path.slice(-2).filter((name) => !GENERIC.has(name.toLowerCase()));
  const isGeneric = names.length === 0 && described === '';
  const words = [...names.map(wordsOf), described].filter((text) => text !== '').join(' ');
  if (isGeneric || contentTerms(words).length === 0) return { words: question, heads: [], isQuestion: true };
  const heads = [headOf(names.at(-1) ?? '') ?? headOf(names.at(-2) ?? ''), headOf(described)];
  return { words, heads: heads.flatMap((head) => formsOf(head)), isQuestion: false };
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
export function sentencesFor({ words, heads }: Asked, candidates: readonly Candidate[]): Ranked[] {
  return rank(words, candidates).filter(
    ({ support, candidate: { terms, introduction, previous } }) =>
      support >= LEAST_SUPPORT &&
      (heads.length === 0 ||
        heads.some((head) => terms.has(head) || introduction.has(head) || previous.has(head))),
  );
}

const LEAST_SUPPORT = 0.3;

/** Where in a sentence the words of a property stand, for choosing the value next to them; 0 when they do not. */
export function placeOf({ words }: Asked, sentence: string): number {
  const wanted = new Set(contentTerms(words));
  for (const match of sentence.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (contentTerms(match[0]).some((term) => wanted.has(term))) return match.index;
  }
  return 0;
}

/** The value of a `Name: value` field or a two-column row whose name is the property's; null when there is none. */
export function fieldValue({ words }: Asked, sentence: string): string | null {
  const row = /^\|?\s*([^|:：]{1,60})\s*(?:[:：]|\|)\s*([^|]+?)\s*\|?$/u.exec(
    sentence.replace(/^\s*[-*•]\s+/, ''),
  );
  const [, name, value] = row ?? [];
  if (name === undefined || value === undefined) return null;
  const wanted = new Set(contentTerms(words));
  const named = contentTerms(name);
  return named.length > 0 && named.every((term) => wanted.has(term)) ? value.replace(/[.;,]$/, '') : null;
}
