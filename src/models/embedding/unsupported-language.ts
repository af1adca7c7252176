import { Logger } from '@nestjs/common';
import type { Embedder } from './embedder.js';
import { knownModel } from './known-models.js';

/**
 * Out-of-vocabulary share above which a warning is logged. The share is a few per cent in English, and up to a third in
 * other languages with Latin script.
 */
const WARNING_SHARE = 0.5;

/** Languages by script. */
const LANGUAGES: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 'Japanese'],
  [/\p{Script=Hangul}/gu, 'Korean'],
  [/\p{Script=Han}/gu, 'Chinese'],
  [/\p{Script=Cyrillic}/gu, 'Russian or another language in Cyrillic letters'],
  [/\p{Script=Arabic}/gu, 'Arabic or another language in Arabic letters'],
  [/\p{Script=Devanagari}/gu, 'Hindi or another language in Devanagari'],
  [/\p{Script=Greek}/gu, 'Greek'],
  [/\p{Script=Hebrew}/gu, 'Hebrew'],
  [/\p{Script=Thai}/gu, 'Thai'],
];

/**
 * Returns a warning if most of the text is out of vocabulary for an English model, so that only lexical search finds
 * the text; otherwise null.
 * @param texts a sample of the stored texts
 */
export async function languageWarning(
  texts: readonly string[],
  embedder: Pick<Embedder, 'model' | 'unreadable'>,
): Promise<string | null> {
  if (knownModel(embedder.model).english !== true) return null;
  const read = await Promise.all(texts.map((text) => embedder.unreadable(text)));
  const unreadable = read.reduce((sum, { share }) => sum + share, 0);
  if (texts.length === 0 || unreadable < WARNING_SHARE * texts.length) return null;
  return (
    `The documents seem to be in ${languageOf(texts.join(' '))}, which the embedding model does not support: only lexical ` +
    'search finds them. Set EMBEDDING_MODEL=local-multilingual and run "lectern reindex"'
  );
}

/** Guesses the language from the most frequent script. Kana distinguish Japanese from Chinese. */
export function languageOf(text: string): string {
  const counts = LANGUAGES.map(([letters, name]) => ({ name, count: text.match(letters)?.length ?? 0 }));
  const [japanese] = counts;
  if (japanese !== undefined && japanese.count > 0.1 * text.length) return japanese.name;
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best));
  return most.count > 0.25 * text.length ? most.name : 'a language other than English';
}

/** Number of sampled texts that are needed for a decision. */
const SAMPLE_SIZE = 20;

/** Samples embedded texts, and logs one warning if most of these texts are out of vocabulary. */
export class LanguageMonitor {
  private readonly logger = new Logger('EmbeddingModel');
  private readonly texts: string[] = [];

  constructor(private readonly embedder: Pick<Embedder, 'model' | 'unreadable'>) {}

  /** Adds the first text of a batch to the sample. */
  async sample([text]: readonly string[]): Promise<void> {
    if (text === undefined || this.texts.length >= SAMPLE_SIZE) return;
    this.texts.push(text);
    if (this.texts.length < SAMPLE_SIZE) return;
    const warning = await languageWarning(this.texts, this.embedder);
    if (warning !== null) this.logger.warn(warning);
  }
}
