import { Logger } from '@nestjs/common';
import type { Embedder } from './embedder.js';
import { knownModel } from './known-models.js';

/** Part of a text, in characters of unreadable words; English prose has a few hundredths, other languages in Latin letters up to a third. */
const MOST = 0.5;

/** What is mostly written in a script, as people call it. */
const LANGUAGES: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 'Japanese'],
  [/\p{Script=Hangul}/gu, 'Korean'],
  [/\p{Script=Han}/gu, 'Chinese'],
  [/\p{Script=Cyrillic}/gu, 'Russian or another language in Cyrillic letters'],
  [/\p{Script=Arabic}/gu, 'Arabic or another language in its letters'],
  [/\p{Script=Devanagari}/gu, 'Hindi or another language in Devanagari'],
  [/\p{Script=Greek}/gu, 'Greek'],
  [/\p{Script=Hebrew}/gu, 'Hebrew'],
  [/\p{Script=Thai}/gu, 'Thai'],
];

/**
 * What to tell where an English model cannot read most of the texts: they are then found by their words alone, and nothing
 * else would show it. Null where it can.
 * @param texts a sample of what is stored
 */
export function unreadAdvice(
  texts: readonly string[],
  embedder: Pick<Embedder, 'model' | 'unreadable'>,
): string | null {
  if (knownModel(embedder.model).english !== true) return null;
  const unread = texts.reduce((sum, text) => sum + embedder.unreadable(text).share, 0);
  if (texts.length === 0 || unread < MOST * texts.length) return null;
  return (
    `The documents seem to be in ${languageOf(texts.join(' '))}, which the embedding model does not read: they are found ` +
    'by their words only. Set EMBEDDING_MODEL=local-multilingual and run "lectern reindex"'
  );
}

/** By the letters that are most frequent; the kana of a Japanese text tell it from a Chinese one. */
export function languageOf(text: string): string {
  const counts = LANGUAGES.map(([letters, name]) => ({ name, count: text.match(letters)?.length ?? 0 }));
  const [japanese] = counts;
  if (japanese !== undefined && japanese.count > 0.1 * text.length) return japanese.name;
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best));
  return most.count > 0.25 * text.length ? most.name : 'a language other than English';
}

/** Texts that are looked at before anything is said. */
const ENOUGH = 20;

/** Looks at a sample of what is embedded, and says once in the log when the model cannot read most of it. */
export class UnreadTexts {
  private readonly logger = new Logger('EmbeddingModel');
  private readonly sample: string[] = [];

  constructor(private readonly embedder: Pick<Embedder, 'model' | 'unreadable'>) {}

  /** The first of the texts that are embedded together stands for them. */
  look([text]: readonly string[]): void {
    if (text === undefined || this.sample.length >= ENOUGH) return;
    this.sample.push(text);
    if (this.sample.length < ENOUGH) return;
    const advice = unreadAdvice(this.sample, this.embedder);
    if (advice !== null) this.logger.warn(advice);
  }
}
