import type { RunPosition } from '../notation.js';

interface Group {
  readonly position: RunPosition;
  readonly isStruck: boolean;
  /** Whether the group is a table, a picture or an instruction, without text. */
  readonly isSilent: boolean;
  /** Number of characters after a Unicode character for readers that do not know it (`\uc`). */
  readonly fallback: number;
}

/** Destinations without text. A destination after `\*` has no text either, unless it is in `WITH_TEXT`. */
const SILENT = new Set(
  'fonttbl colortbl stylesheet info pict object fldinst listtable listoverridetable filetbl revtbl themedata datastore'.split(
    ' ',
  ),
);
const WITH_TEXT = new Set('shptxt annotation fldrslt dptxbxtext footnote'.split(' '));

/** Smallest shift of `\up` and `\dn`, in half points, that is a superscript or subscript. */
const LEAST_SHIFT = 3;
const DEFAULT_SHIFT = 6;

/** How a character of Rich Text Format stands. */
interface Character {
  readonly isStruck: boolean;
  readonly position: RunPosition;
}

/** The state of a reader of Rich Text Format: nested groups that inherit and restore the format of characters. */
export class RichTextState {
  private readonly groups: Group[] = [];
  private now: Group = { position: 'on the line', isStruck: false, isSilent: false, fallback: 1 };
  /** Remaining fallback characters of a Unicode character, and how this character stands. */
  private pending = 0;
  private owner: Character = { isStruck: false, position: 'on the line' };

  get depth(): number {
    return this.groups.length;
  }

  open(): void {
    this.groups.push(this.now);
    this.pending = 0;
  }

  close(): void {
    this.now = this.groups.pop() ?? this.now;
    this.pending = 0;
  }

  /** Applies a control symbol, such as `\*` before an optional destination. */
  control(symbol: string): void {
    if (symbol === '\\*') this.now = { ...this.now, isSilent: true };
  }

  apply(name: string, number: number | undefined): void {
    const { now } = this;
    const isOn = number !== 0;
    const shift = number ?? DEFAULT_SHIFT;
    switch (name) {
      case 'super':
        this.now = { ...now, position: isOn ? 'raised' : 'on the line' };
        break;
      case 'sub':
        this.now = { ...now, position: isOn ? 'lowered' : 'on the line' };
        break;
      case 'up':
        this.now = { ...now, position: shift >= LEAST_SHIFT ? 'raised' : 'on the line' };
        break;
      case 'dn':
        this.now = { ...now, position: shift >= LEAST_SHIFT ? 'lowered' : 'on the line' };
        break;
      case 'nosupersub':
        this.now = { ...now, position: 'on the line' };
        break;
      case 'strike':
      case 'striked':
        this.now = { ...now, isStruck: isOn };
        break;
      case 'plain':
        this.now = { ...now, position: 'on the line', isStruck: false };
        break;
      case 'uc':
        this.now = { ...now, fallback: Math.min(Math.max(number ?? 1, 0), 9) };
        break;
      default:
        if (SILENT.has(name)) this.now = { ...now, isSilent: true };
        else if (WITH_TEXT.has(name)) this.now = { ...now, isSilent: false };
    }
  }

  /**
   * How the next character stands. A fallback character stands like its Unicode character.
   * @param hasFallback whether the character is in Unicode, with fallback characters after it
   */
  character(hasFallback: boolean): Character {
    if (this.pending > 0) {
      this.pending -= 1;
      return this.owner;
    }
    const { isSilent, isStruck, position, fallback } = this.now;
    const character: Character = isSilent
      ? { isStruck: false, position: 'on the line' }
      : { isStruck, position };
    if (hasFallback) {
      this.pending = fallback;
      this.owner = character;
    }
    return character;
  }
}
