import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer as Library } from '@huggingface/tokenizers';
import type { LocalTokenizer } from './tokenizer.js';

/**
 * Matches runs of text whose token count does not depend on the text around them. The tokenizer splits words at white
 * space, ASCII punctuation and Chinese characters. The characters ' . : ^ ` do not end a run, because the lower case of
 * a Greek capital sigma depends on them.
 */
const RUN =
  /[!"#$%&()*+,\-/;<=>?@[\\\]_{|}~]|[\u4e00-\u9fff]|[^\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000!"#$%&()*+,\-/;<=>?@[\\\]_{|}~\u4e00-\u9fff]+/g;

/**
 * Size of the run cache. In natural text, a few runs make up most of the text, so the cache makes counting ten times
 * faster.
 */
const CACHED_RUNS = 200_000;
const MAX_CACHED_LENGTH = 32;

/** Maximum length of a word in code points. A longer word is one unknown token. */
const MAX_WORD = 100;

/** Prefix of pieces that do not start a word. */
const CONTINUED = '##';

/** WordPiece tokenizer of the bundled English model. Other models of the BERT family have the same vocabulary. */
export class WordPieceTokenizer implements LocalTokenizer {
  private readonly known = new Map<string, number>();
  private readonly vocabulary: ReadonlyMap<string, number>;
  /**
   * Maximum length of a piece by its first two UTF-16 code units. The key includes the prefix `##` of a piece that
   * continues a word; the length does not.
   */
  private readonly longest = new Map<string, number>();

  private readonly library: Library;

  /** @param model the folder of `tokenizer.json` and `tokenizer_config.json`, or a loaded tokenizer */
  constructor(model: string | Library) {
    const library = typeof model === 'string' ? load(model) : model;
    this.library = library;
    this.vocabulary = library.get_vocab();
    for (const piece of this.vocabulary.keys()) {
      const mark = piece.startsWith(CONTINUED) && piece !== CONTINUED ? CONTINUED : '';
      const length = piece.length - mark.length;
      const start = piece.slice(0, mark.length + 2);
      this.longest.set(start, Math.max(length, this.longest.get(start) ?? 0));
    }
  }

  encode(text: string): number[] {
    return this.library.encode(text).ids;
  }

  count(text: string): number {
    let tokens = 0;
    RUN.lastIndex = 0;
    for (let run = RUN.exec(text); run !== null; run = RUN.exec(text)) tokens += this.countRun(run[0]);
    return tokens;
  }

  pieces(word: string): number | null {
    const parts = this.words(word).map((part) => this.piecesOf(part));
    return parts.includes(null) ? null : sum(parts);
  }

  private countRun(run: string): number {
    const known = this.known.get(run);
    if (known !== undefined) return known;
    const tokens = sum(this.words(run).map((word) => this.piecesOf(word)));
    if (run.length <= MAX_CACHED_LENGTH) {
      if (this.known.size >= CACHED_RUNS) this.known.clear();
      this.known.set(run, tokens);
    }
    return tokens;
  }

  private words(run: string): string[] {
    const normalized = this.library.normalizer?.normalize(run) ?? run;
    return this.library.pre_tokenizer?.pre_tokenize(normalized) ?? [normalized];
  }

  /**
   * Counts pieces by longest match (Wu et al. 2016, "Google's Neural Machine Translation System"). Gives the same result as
   * the library, which tries every substring and needs a second for a thousand words of 70 letters.
   * @returns null if the whole word is one unknown token.
   */
  private piecesOf(word: string): number | null {
    if (word.length > MAX_WORD && Array.from(word).length > MAX_WORD) return null;
    let pieces = 0;
    for (let start = 0; start < word.length; pieces += 1) {
      const mark = start === 0 ? '' : CONTINUED;
      let end = Math.min(word.length, start + (this.longest.get(mark + word.slice(start, start + 2)) ?? 1));
      while (end > start && !this.vocabulary.has(mark + word.slice(start, end))) end -= 1;
      if (end === start) return null; // no matching piece
      start = end;
    }
    return pieces;
  }
}

/** Adds the counts of words. An unknown word is one token. */
function sum(pieces: readonly (number | null)[]): number {
  return pieces.reduce<number>((tokens, each) => tokens + (each ?? 1), 0);
}

function load(folder: string): Library {
  const read = (name: string): object => JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
  return new Library(read('tokenizer.json'), read('tokenizer_config.json'));
}
