import type { Candidate } from '../candidates.js';
import { rank, type Ranked } from '../ranking.js';
import { termsOf } from '../../passages/terms.js';

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

/** What a property asks for, in words: its path of names and its description; with the question if those are generic. */
export function askedBy(
  question: string,
  path: readonly string[],
  schema: Readonly<Record<string, unknown>>,
): string {
  const described = [schema['title'], schema['description']]
    .filter((text) => typeof text === 'string')
    .join(' ');
  const name = path.at(-1) ?? '';
  const words = [...path.slice(-2).map(wordsOf), described].filter((text) => text !== '').join(' ');
  const isGeneric = (GENERIC.has(name.toLowerCase()) && described === '') || termsOf(words).length === 0;
  return isGeneric ? question : words;
}

/** Sentences that a property's value may stand in, best first. Only those that share a term with what is asked. */
export function sentencesFor(asked: string, candidates: readonly Candidate[]): Ranked[] {
  return rank(asked, candidates).filter(({ support }) => support >= LEAST_SUPPORT);
}

const LEAST_SUPPORT = 0.3;

/** Where in a sentence the words of a property stand, for choosing the value next to them; 0 when they do not. */
export function placeOf(asked: string, sentence: string): number {
  const wanted = new Set(termsOf(asked));
  for (const match of sentence.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (termsOf(match[0]).some((term) => wanted.has(term))) return match.index;
  }
  return 0;
}

/** The value of a `Name: value` field or a two-column row whose name is the property's; null when there is none. */
export function fieldValue(asked: string, sentence: string): string | null {
  const row = /^\|?\s*([^|:：]{1,60})\s*(?:[:：]|\|)\s*([^|]+?)\s*\|?$/u.exec(
    sentence.replace(/^\s*[-*•]\s+/, ''),
  );
  const [, name, value] = row ?? [];
  if (name === undefined || value === undefined) return null;
  const wanted = new Set(termsOf(asked));
  const named = termsOf(name);
  return named.length > 0 && named.every((term) => wanted.has(term)) ? value.replace(/[.;,]$/, '') : null;
}
