import type { Candidate } from '../candidates.js';
import { plainSentence } from '../wording.js';
import { fieldValue, placeOf, sentencesFor, type Asked } from './property.js';
import { formattedIn } from './typed-values.js';

type Schema = Readonly<Record<string, unknown>>;

/** `the colour is dark blue`, `designed by Maria Keller`: the short value that follows the name. */
const COMPLEMENT =
  /(?:\s(?:is|are|was|were|=)|[:：])\s+(?:called\s+|named\s+|an?\s+|the\s+)?(.{1,80}?)[.;。]?$/iu;
const BY_NAME = /\bby\s+(\p{Lu}(?:\.(?=\s)|[\p{L}'-])*(?:\s+\p{Lu}[\p{L}'-]*)*)/u;

/** Member of `options` that the best sentences name; the one nearest to the words of the property. */
export function findOption(
  asked: Asked,
  options: readonly unknown[],
  candidates: readonly Candidate[],
): unknown {
  for (const { candidate } of sentencesFor(asked, candidates)) {
    const { text } = candidate.sentence;
    const place = placeOf(asked, text);
    const named = options
      .map((option) => ({ option, at: wordAt(text, String(option)) }))
      .filter(({ at }) => at !== -1)
      .sort((a, b) => Math.abs(a.at - place) - Math.abs(b.at - place));
    const [nearest] = named;
    if (nearest !== undefined) return nearest.option;
  }
  return undefined;
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

/** The text that the passages give for what is asked; null when there is none. */
export function findString(
  asked: Asked,
  schema: Schema,
  candidates: readonly Candidate[],
  wholeAnswer: () => string | null,
): string | null {
  const format = typeof schema['format'] === 'string' ? schema['format'] : impliedFormat(asked.words);
  const found = sentencesFor(asked, candidates).map(({ candidate }) => candidate.sentence);
  if (format !== null) {
    const [formatted] = found.flatMap(({ text }) => formattedIn(text, format) ?? []);
    if (formatted !== undefined) return formatted.value;
    if (schema['format'] !== undefined && formattedIn('', format) !== null) return null;
  }
  if (asked.isQuestion) return wholeAnswer();
  for (const sentence of found) {
    const value = fieldValue(asked, sentence.text) ?? complementOf(asked, sentence.text);
    if (value !== null && fitsLength(value, schema)) return value;
  }
  return found.map(plainSentence).find((text) => fitsLength(text, schema)) ?? null;
}

function impliedFormat(words: string): string | null {
  const [format] = /\b(?:email|phone|url|uuid)\b/i.exec(words) ?? [];
  return format?.toLowerCase() ?? null;
}

function complementOf(asked: Asked, sentence: string): string | null {
  const after = sentence.slice(placeOf(asked, sentence));
  return BY_NAME.exec(after)?.[1] ?? COMPLEMENT.exec(after)?.[1] ?? null;
}

function fitsLength(text: string, schema: Schema): boolean {
  const { minLength, maxLength } = schema;
  if (typeof minLength === 'number' && text.length < minLength) return false;
  return typeof maxLength !== 'number' || text.length <= maxLength;
}
