import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer as Library } from '@huggingface/tokenizers';
import type { LocalTokenizer } from './tokenizer.js';

/**
 * Runs that the tokenizer counts independently of what stands beside them: it breaks words at white space, ASCII
 * punctuation and Chinese characters. Punctuation that decides how a neighbouring Greek sigma is lower-cased
 * (' . : ^ `) is left inside its run.
 */
const RUN =
  /[!"#$%&()*+,\-/;<=>?@[\\\]_{|}~]|[\u4e00-\u9fff]|[^\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000!"#$%&()*+,\-/;<=>?@[\\\]_{|}~\u4e00-\u9fff]+/g;

/** A natural text repeats few runs often: remembering them makes counting ten times as fast. */
const REMEMBERED_RUNS = 200_000;
const MAX_REMEMBERED_LENGTH = 32;

/** Of code points; a longer word is one unknown token. */
const MAX_WORD = 100;

/** In front of pieces that do not begin a word. */
const CONTINUED = '##';

/** WordPiece tokens of the bundled English model; others of the BERT family have the same vocabulary. */
export class WordPieceTokenizer implements LocalTokenizer {
  private readonly known = new Map<string, number>();
  private readonly vocabulary: ReadonlyMap<string, number>;
  /** Lengths of the longest pieces, without their mark, by their first two UTF-16 code units. */
  private readonly longest = new Map<string, number>();

  private readonly library: Library;

  /** @param model the folder with `tokenizer.json` and `tokenizer_config.json`, or what was read of them */
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
    if (run.length <= MAX_REMEMBERED_LENGTH) {
      if (this.known.size >= REMEMBERED_RUNS) this.known.clear();
      this.known.set(run, tokens);
    }
    return tokens;
  }

  private words(run: string): string[] {
    const normalized = this.library.normalizer?.normalize(run) ?? run;
    return this.library.pre_tokenizer?.pre_tokenize(normalized) ?? [normalized];
  }

  /**
   * The longest piece of the vocabulary first (Wu et al. 2016, "Google's Neural Machine Translation System"), as the
   * library has it; that tries every part of a word, which takes a second for a thousand words of 70 letters. null: the
   * whole word is one unknown token.
   */
  private piecesOf(word: string): number | null {
    if (word.length > MAX_WORD && Array.from(word).length > MAX_WORD) return null;
    let pieces = 0;
    for (let start = 0; start < word.length; pieces += 1) {
      const mark = start === 0 ? '' : CONTINUED;
      let end = Math.min(word.length, start + (this.longest.get(mark + word.slice(start, start + 2)) ?? 1));
      while (end > start && !this.vocabulary.has(mark + word.slice(start, end))) end -= 1;
      if (end === start) return null; // no piece begins so
      start = end;
    }
    return pieces;
  }
}

/** Of words; an unknown one is one token. */
function sum(pieces: readonly (number | null)[]): number {
  return pieces.reduce<number>((tokens, each) => tokens + (each ?? 1), 0);
}

function load(folder: string): Library {
  const read = (name: string): object => JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
  return new Library(read('tokenizer.json'), read('tokenizer_config.json'));
}
