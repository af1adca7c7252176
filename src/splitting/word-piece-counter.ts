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

/** WordPiece tokens of the bundled model. */
export class WordPieceCounter implements TokenCounter {
  private readonly known = new Map<string, number>();

  constructor(private readonly tokenizer: Tokenizer = loadTokenizer()) {}

  count(text: string): number {
    let tokens = 0;
    RUN.lastIndex = 0;
    for (let run = RUN.exec(text); run !== null; run = RUN.exec(text)) tokens += this.countRun(run[0]);
    return tokens;
  }

  private countRun(run: string): number {
    const known = this.known.get(run);
    if (known !== undefined) return known;
    const { ids } = this.tokenizer.encode(run, { add_special_tokens: false });
    if (run.length <= MAX_REMEMBERED_LENGTH) {
      if (this.known.size >= REMEMBERED_RUNS) this.known.clear();
      this.known.set(run, ids.length);
    }
    return ids.length;
  }
}

function loadTokenizer(): Tokenizer {
  const read = (name: string): object =>
    JSON.parse(readFileSync(join(packageRoot, 'models', 'all-MiniLM-L6-v2', name), 'utf8')) as object;
  return new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
}
