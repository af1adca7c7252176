import { damaged } from '../archive/archive.js';
import { lowered, raised, type RunPosition } from '../notation.js';
import { RichTextState } from './rich-text-state.js';

const [OPEN, CLOSE, BACKSLASH, CARRIAGE_RETURN, LINE_FEED] = Buffer.from('{}\\\r\n', 'latin1');

/** `\bin123 ` is followed by that number of raw bytes. */
const BINARY = /^\\bin(\d{1,9}) ?/;

/** A control word with its terminating space. */
const WORD = /^\\([a-z]{1,32})(-?\d{1,10})?( ?)/;

/** A character in the code page of the text: `\'e9`. */
const CODE_PAGE_CHARACTER = /^\\'[0-9a-f]{2}/i;

/** Upper bound of the length of a control word. */
const WORD_LENGTH = 48;

/**
 * Control words that change only the appearance of characters. Excludes control words that affect the text: fonts
 * (which may select an encoding), languages, styles. Raised, lowered and struck text is handled before these words are
 * removed.
 */
const APPEARANCE = new Set(
  'b i ul uld uldb ulw ulnone ulth fs cf cb chcbpat highlight strike striked caps scaps expnd expndtw kerning outl shad embo impr up dn sub super nosupersub'.split(
    ' ',
  ),
);

/** Control words that stand for a character. */
const CHARACTERS = new Set(
  'u emdash endash emspace enspace qmspace bullet lquote rquote ldblquote rdblquote zwj zwnj'.split(' '),
);

/**
 * Marks around raised and around lowered text, which survive the conversion as text. They begin with the control
 * character DEL, which no text contains and no encoding uses as a trailing byte.
 */
const MARKS = { raised: ['\x7f<', '\x7f>'], lowered: ['\x7f(', '\x7f)'] } as const;

type Token =
  | {
      readonly kind: 'word';
      readonly name: string;
      readonly number: number | undefined;
      readonly size: number;
    }
  | { readonly kind: 'open' | 'close' | 'character' | 'layout' | 'binary'; readonly size: number };

/**
 * Prepares Rich Text Format for LibreOffice, which needs a millisecond per formatted run, and quadratic time for nested
 * runs and for a long paragraph of runs. Removes character appearance and struck text. Raised and lowered text becomes
 * plain text between marks, which {@link writtenScripts} replaces after the conversion.
 *
 * @throws ParseFailure if the file is truncated. The file is one group in braces, and other readers silently accept an
 * unclosed group as a shorter text.
 */
export function withoutAppearance(bytes: Uint8Array): Uint8Array {
  const rtf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const output = new Output(rtf);
  const state = new RichTextState();
  for (let at = 0; at < rtf.length;) {
    const token = tokenAt(rtf, at);
    const isWord = token.kind === 'word';
    if (isWord && APPEARANCE.has(token.name)) {
      state.apply(token.name, token.number);
      output.skip();
    } else if (token.kind === 'character' || (isWord && CHARACTERS.has(token.name))) {
      const { isStruck, position } = state.character(isWord && token.name === 'u');
      if (isStruck) output.skip();
      else {
        output.mark(position);
        output.copy(at, token);
      }
    } else if (token.kind === 'layout') output.copy(at, token);
    else {
      output.mark('on the line');
      if (token.kind === 'open') state.open();
      else if (token.kind === 'close') state.close();
      else if (isWord) state.apply(token.name, token.number);
      else state.control(rtf.toString('latin1', at, at + 2));
      output.copy(at, token);
      if (token.kind === 'close' && state.depth === 0) return output.bytes();
    }
    at += token.size;
  }
  throw damaged(new Error(`${state.depth} groups are not closed`));
}

/** Replaces the marks of {@link withoutAppearance} with the notation of superscripts and subscripts. */
export function writtenScripts(text: string): string {
  return text
    .replace(
      /\x7f>(\s*)\x7f<|\x7f\)(\s*)\x7f\(/g,
      (_, raisedGap: string = '', loweredGap: string = '') => raisedGap + loweredGap,
    )
    .replace(/\x7f<([^\x7f]*)\x7f>/g, (_, inside: string) => raised(inside))
    .replace(/\x7f\(([^\x7f]*)\x7f\)/g, (_, inside: string) => lowered(inside));
}

function tokenAt(rtf: Buffer, at: number): Token {
  const byte = rtf[at];
  if (byte === OPEN) return { kind: 'open', size: 1 };
  if (byte === CLOSE) return { kind: 'close', size: 1 };
  if (byte === CARRIAGE_RETURN || byte === LINE_FEED) return { kind: 'layout', size: 1 };
  if (byte !== BACKSLASH) return { kind: 'character', size: 1 };
  const head = rtf.toString('latin1', at, at + WORD_LENGTH);
  const binary = BINARY.exec(head);
  if (binary !== null) return { kind: 'binary', size: binary[0].length + Number(binary[1]) };
  const [word, name = '', number] = WORD.exec(head) ?? [];
  if (word !== undefined) {
    return {
      kind: 'word',
      name,
      number: number === undefined ? undefined : Number(number),
      size: word.length,
    };
  }
  if (CODE_PAGE_CHARACTER.test(head)) return { kind: 'character', size: 4 };
  return { kind: /^\\[\\{}~_-]/.test(head) ? 'character' : 'binary', size: 2 };
}

/** The rewritten file. Its marks lie outside of control words. */
class Output {
  private readonly parts: Buffer[] = [];
  /** Start and end of the bytes that are copied next. */
  private from = 0;
  private to = 0;
  /** Whether the output ends with a control word without a terminating space. */
  private isOpen = false;
  private position: RunPosition = 'on the line';

  constructor(private readonly rtf: Buffer) {}

  copy(at: number, { kind, size }: Token): void {
    if (at !== this.to) {
      this.flush();
      this.from = at;
    }
    this.to = at + size;
    this.isOpen = kind === 'word' && this.rtf[this.to - 1] !== 0x20;
  }

  /** Leaves out a token. The space after it may have ended the previous control word. */
  skip(): void {
    if (this.isOpen) this.write(' ');
    this.isOpen = false;
  }

  mark(position: RunPosition): void {
    if (position === this.position) return;
    if (this.position !== 'on the line') this.write(MARKS[this.position][1]);
    if (position !== 'on the line') this.write(MARKS[position][0]);
    this.position = position;
    this.isOpen = false;
  }

  bytes(): Uint8Array {
    this.flush();
    return Buffer.concat(this.parts);
  }

  private write(text: string): void {
    this.flush();
    this.parts.push(Buffer.from(text, 'latin1'));
  }

  private flush(): void {
    if (this.to > this.from) this.parts.push(this.rtf.subarray(this.from, this.to));
    this.from = this.to;
  }
}
