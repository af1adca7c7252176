import { contentTerms } from '../../../lexical/analyse.js';
import type { Candidate } from '../candidates.js';
import { plainSentence } from '../plain-sentence.js';
import { datesIn } from './dates.js';
import { nearestFirst, placeOf, type Asked, type Finder, type Found } from './property.js';

/** `the colour is dark blue`, `designed by Maria Keller`: the short value that follows the name. */
const COMPLEMENT =
  /(?:\s(?:is|are|was|were|=)|[:：])\s+(?:called\s+|named\s+|an?\s+|the\s+)?(.{1,80}?)[.;。]?$/iu;
const BY_NAME = /\bby\s+(\p{Lu}(?:\.(?=\s)|[\p{L}'-])*(?:\s+\p{Lu}[\p{L}'-]*)*)/u;

const URL = /\bhttps?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?]/g;

/** Where strings of a format may be; the schema says whether they are. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  uri: URL,
  url: URL,
  uuid: /\b[\da-f-]{36}\b/gi,
  ipv4: /\b[\d.]{7,15}\b/g,
  // A date without its time and zone is no moment.
  'date-time': /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})/gi,
  time: /\b\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?/gi,
  phone: /\+?\d[\d ()/-]{5,}\d/g,
};

/** How strings of a known format are found; null for a format that has no pattern here. */
export function formattedIn(format: unknown): Finder | null {
  if (format === 'date') return datesIn;
  const pattern = typeof format === 'string' ? FORMATS[format] : undefined;
  if (pattern === undefined) return null;
  return (text) => Array.from(text.matchAll(pattern), (match) => ({ value: match[0], at: match.index }));
}

/** Members of `options` that a sentence names, in the order they stand. */
export function optionsIn(sentence: string, options: readonly unknown[]): Found[] {
  return options
    .map((value) => ({ value, at: wordAt(sentence, String(value)) }))
    .filter(({ at }) => at !== -1)
    .sort((a, b) => a.at - b.at);
}

/** Where a text has a word or words, however they are joined; -1 where it has not. */
export function wordAt(text: string, word: string): number {
  const escaped = word
    .replace(/[_-]+/g, ' ')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\s+/g, '[\\s_-]+');
  return word.trim() === ''
    ? -1
    : text.search(new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'iu'));
}

/** Texts for what is asked: of a form that its name implies, short values after its name, then whole sentences. */
export function* stringsFor(
  asked: Asked,
  sentences: readonly Candidate[],
  answerInWords: () => string | null,
): Generator<string> {
  const [implied] = /\b(?:email|phone|url|uuid)\b/i.exec(asked.words) ?? [];
  const find = formattedIn(implied?.toLowerCase());
  if (find !== null) yield* nearestFirst(asked, sentences, find) as Generator<string>;
  if (asked.isQuestion) {
    const answer = answerInWords();
    if (answer !== null) yield answer;
    return;
  }
  for (const { sentence } of sentences) {
    const value = fieldValue(asked, sentence.text) ?? complementOf(asked, sentence.text);
    if (value !== null) yield value;
  }
  for (const { sentence } of sentences) yield plainSentence(sentence);
}

/** The value of a `Name: value` field or a two-column row whose name is the property's; null when there is none. */
function fieldValue({ words }: Asked, sentence: string): string | null {
  const row = /^\|?\s*([^|:：]{1,60})\s*(?:[:：]|\|)\s*([^|]+?)\s*\|?$/u.exec(
    sentence.replace(/^\s*[-*•]\s+/, ''),
  );
  const [, name, value] = row ?? [];
  if (name === undefined || value === undefined) return null;
  const wanted = new Set(contentTerms(words));
  const named = contentTerms(name);
  return named.length > 0 && named.every((term) => wanted.has(term)) ? value.replace(/[.;,]$/, '') : null;
}

function complementOf({ words }: Asked, sentence: string): string | null {
  const after = sentence.slice(placeOf(words, sentence));
  return BY_NAME.exec(after)?.[1] ?? COMPLEMENT.exec(after)?.[1] ?? null;
}
