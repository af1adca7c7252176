import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';

/** A line for each token in the order of the ranks: its bytes in Base64, a space, its rank. */
const FILE = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken');

/** Tokens that are read before other work may run: a few milliseconds. */
const TOKENS_AT_ONCE = 16_384;

/** Power of two, more than twice the number of tokens. */
const SLOTS = 2 ** 19;

/** Greater than every rank. */
const NO_TOKEN = 2 ** 32 - 1;

const SPACE = 0x20;
const NEWLINE = 0x0a;
const PAD = 0x3d;
const SIX_BITS = new Uint8Array(128);
const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
for (const [bits, digit] of DIGITS.entries()) SIX_BITS[digit] = bits;

const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** Words whose counts are kept: in natural text, a few words make up most of the text. */
const CACHED_WORDS = 100_000;
const MAX_CACHED_LENGTH = 32;

/**
 * Counts tokens of o200k_base. The tokens are in typed arrays and a hash table: 5 MB, where the strings of the library
 * `gpt-tokenizer`, from which they are, need 60 MB and block the event loop for a tenth of a second.
 */
export class O200k {
  private text: Uint8Array;
  private readonly ends = new Uint32Array(SLOTS / 2);
  /** Hash table with open addressing. A slot contains the rank of a token + 1; 0: the slot is empty. */
  private readonly slots = new Int32Array(SLOTS);
  private longest = 0;
  private readonly encoder = new TextEncoder();
  private readonly known = new Map<string, number>();

  private constructor(file: Uint8Array) {
    this.text = new Uint8Array(Math.ceil((file.length * 3) / 4));
  }

  /** Reads the tokens, and lets other work run meanwhile. */
  static async load(): Promise<O200k> {
    const file = await readFile(FILE);
    const tokens = new O200k(file);
    const reading = tokens.read(file);
    while (reading.next().done !== true) await setImmediate();
    return tokens;
  }

  static loadAtOnce(): O200k {
    const file = readFileSync(FILE);
    const tokens = new O200k(file);
    const reading = tokens.read(file);
    while (reading.next().done !== true);
    return tokens;
  }

  /** Counts in time quadratic in the length of the longest word. Control tokens count as text. */
  count(text: string): number {
    let tokens = 0;
    for (const [word] of text.matchAll(O200K_TOKEN_SPLIT_REGEX)) tokens += this.countWord(word);
    return tokens;
  }

  private countWord(word: string): number {
    const known = this.known.get(word);
    if (known !== undefined) return known;
    const bytes = this.encoder.encode(word);
    const tokens = this.rankOf(bytes, 0, bytes.length) === NO_TOKEN ? this.merge(bytes) : 1;
    if (word.length <= MAX_CACHED_LENGTH) {
      if (this.known.size >= CACHED_WORDS) this.known.clear();
      this.known.set(word, tokens);
    }
    return tokens;
  }

  /**
   * Joins the two neighbours that are the token of the lowest rank, as long as there are such neighbours (Sennrich et al.
   * 2016, "Neural Machine Translation of Rare Words with Subword Units"). @returns the number of parts that remain
   */
  private merge(bytes: Uint8Array): number {
    const starts = Uint32Array.from({ length: bytes.length + 1 }, (_, at) => at);
    const rankAt = (part: number): number =>
      part + 2 > parts ? NO_TOKEN : this.rankOf(bytes, starts[part] ?? 0, starts[part + 2] ?? 0);
    let parts = bytes.length;
    const ranks = Uint32Array.from({ length: parts }, (_, part) => rankAt(part));
    for (;;) {
      let lowest = 0;
      for (let part = 1; part < parts; part++) if ((ranks[part] ?? 0) < (ranks[lowest] ?? 0)) lowest = part;
      if (ranks[lowest] === NO_TOKEN) return parts;
      starts.copyWithin(lowest + 1, lowest + 2, parts + 1);
      ranks.copyWithin(lowest + 1, lowest + 2, parts);
      parts -= 1;
      ranks[lowest] = rankAt(lowest);
      if (lowest > 0) ranks[lowest - 1] = rankAt(lowest - 1);
    }
  }

  /** Reads the file in slices. */
  private *read(file: Uint8Array): Generator<undefined, void> {
    let end = 0;
    let rank = 0;
    for (let at = 0; at < file.length; at++) {
      const start = end;
      let hash = FNV_OFFSET;
      let bits = 0;
      let count = 0;
      for (let digit = file[at]; digit !== SPACE; digit = file[++at]) {
        if (digit === undefined || digit === PAD) continue;
        bits = (bits << 6) | (SIX_BITS[digit] ?? 0);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        const byte = (bits >> count) & 0xff;
        this.text[end++] = byte;
        hash = Math.imul(hash ^ byte, FNV_PRIME);
      }
      let slot = hash & (SLOTS - 1);
      while (this.slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
      this.slots[slot] = rank + 1;
      this.ends[rank++] = end;
      this.longest = Math.max(this.longest, end - start);
      while (at < file.length && file[at] !== NEWLINE) at++;
      if (rank % TOKENS_AT_ONCE === 0) yield;
    }
    this.text = this.text.slice(0, end);
  }

  /** Returns the rank of the bytes `[start, end)`; {@link NO_TOKEN} if they are none. */
  private rankOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > this.longest) return NO_TOKEN;
    let hash = FNV_OFFSET;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
    for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const rank = (this.slots[slot] ?? 0) - 1;
      if (rank < 0) return NO_TOKEN;
      const from = rank === 0 ? 0 : (this.ends[rank - 1] ?? 0);
      if ((this.ends[rank] ?? 0) - from !== length) continue;
      let same = 0;
      while (same < length && this.text[from + same] === bytes[start + same]) same++;
      if (same === length) return rank;
    }
  }
}
