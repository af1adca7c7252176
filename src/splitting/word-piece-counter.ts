import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { packageRoot } from '../config/package-root.js';
import type { TokenCounter } from './piece.js';

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

/** WordPiece tokens of the bundled model. */
export class WordPieceCounter implements TokenCounter {
  private readonly known = new Map<string, number>();
  private readonly vocabulary: ReadonlyMap<string, number>;
  /** Lengths of the longest pieces, without their mark, by their first two UTF-16 code units. */
  private readonly longest = new Map<string, number>();

  constructor(private readonly tokenizer: Tokenizer = loadTokenizer()) {
    this.vocabulary = tokenizer.get_vocab();
    for (const piece of this.vocabulary.keys()) {
      const mark = piece.startsWith(CONTINUED) && piece !== CONTINUED ? CONTINUED : '';
      const length = piece.length - mark.length;
      const start = piece.slice(0, mark.length + 2);
      this.longest.set(start, Math.max(length, this.longest.get(start) ?? 0));
    }
  }

  count(text: string): number {
    let tokens = 0;
    RUN.lastIndex = 0;
    for (let run = RUN.exec(text); run !== null; run = RUN.exec(text)) tokens += this.countRun(run[0]);
    return tokens;
  }

  private countRun(run: string): number {
    const known = this.known.get(run);
    if (known !== undefined) return known;
    const normalized = this.tokenizer.normalizer?.normalize(run) ?? run;
    const words = this.tokenizer.pre_tokenizer?.pre_tokenize(normalized) ?? [normalized];
    const tokens = words.reduce((sum, word) => sum + this.countWord(word), 0);
    if (run.length <= MAX_REMEMBERED_LENGTH) {
      if (this.known.size >= REMEMBERED_RUNS) this.known.clear();
      this.known.set(run, tokens);
    }
    return tokens;
  }

  /**
   * The longest piece of the vocabulary first (Wu et al. 2016, "Google's Neural Machine Translation System"), as the
   * library has it; that tries every part of a word, which takes a second for a thousand words of 70 letters.
   */
  private countWord(word: string): number {
    if (word.length > MAX_WORD && Array.from(word).length > MAX_WORD) return 1;
    let pieces = 0;
    for (let start = 0; start < word.length; pieces += 1) {
      const mark = start === 0 ? '' : CONTINUED;
      let end = Math.min(word.length, start + (this.longest.get(mark + word.slice(start, start + 2)) ?? 1));
      while (end > start && !this.vocabulary.has(mark + word.slice(start, end))) end -= 1;
      if (end === start) return 1; // no piece begins so: the whole word is unknown
      start = end;
    }
    return pieces;
  }
}

function loadTokenizer(): Tokenizer {
  const read = (name: string): object =>
    JSON.parse(readFileSync(join(packageRoot, 'models', 'all-MiniLM-L6-v2', name), 'utf8')) as object;
  return new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
}
