import { Logger } from '@nestjs/common';
import type { Readability } from '../readability.js';

/** Texts that are looked at before anything is said. */
const ENOUGH = 20;
/** Of their characters; English prose has a few hundredths, other languages in Latin letters up to a third. */
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
 * Looks at a sample of what is embedded and says once in the log when the model cannot read most of it: a text is then
 * found by its words alone, and nothing else would tell.
 */
export class UnreadTexts {
  private readonly logger = new Logger('EmbeddingModel');
  private readonly sample: string[] = [];
  private unread = 0;

  constructor(private readonly readability: Readability) {}

  /** The first of the texts that are embedded together stands for them: a millisecond beside their vectors. */
  look([text]: readonly string[]): void {
    if (text === undefined || this.sample.length >= ENOUGH) return;
    this.sample.push(text);
    this.unread += this.readability.unreadable(text);
    if (this.sample.length < ENOUGH || this.unread < MOST * ENOUGH) return;
    this.logger.warn(
      `The documents seem to be in ${languageOf(this.sample.join(' '))}, which the English model does not read: they are ` +
        'found by their words only. Set EMBEDDING_MODEL=local-multilingual and run "lectern reindex"',
    );
  }
}

/** By the letters that are most frequent; the kana of a Japanese text tell it from a Chinese one. */
export function languageOf(text: string): string {
  const counts = LANGUAGES.map(([letters, name]) => ({ name, count: text.match(letters)?.length ?? 0 }));
  const [japanese] = counts;
  if (japanese !== undefined && japanese.count > 0.1 * text.length) return japanese.name;
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best));
  return most.count > 0.25 * text.length ? most.name : 'a language other than English';
}
