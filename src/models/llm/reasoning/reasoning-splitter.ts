import {
  type Block,
  BLOCKS,
  CLOSING_TAG,
  MentionContext,
  OPENING_TAG,
  patternOf,
  unfinishedMarker,
} from './reasoning-blocks.js';

/**
 * A piece of a model's text. A `delta` is part of the answer. A `retraction` means that all earlier deltas were
 * reasoning.
 */
export type TextPiece =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'retraction' };

export interface SplitOptions {
  /** Whether the prompt template opens the reasoning block. Text is then held back until the closing tag. */
  readonly opensInPrompt?: boolean;
  /** Whether the prompt contains the closing tag, so that an answer may quote it. */
  readonly promptHasTag?: boolean;
}

const OPENINGS = BLOCKS.map(({ open }) => open);
const LONGEST_OPENING = Math.max(...OPENINGS.map((open) => open.length));

const ENDINGS = new Map(BLOCKS.map((block) => [block, endingOf([...block.close, ...block.next])]));
const ANSWER_TAGS = endingOf([OPENING_TAG, CLOSING_TAG]);
const CLOSING = endingOf([CLOSING_TAG]);

interface Ending {
  readonly markers: readonly string[];
  readonly pattern: RegExp;
}

function endingOf(markers: readonly string[]): Ending {
  return { markers, pattern: patternOf(markers) };
}

/** Maximum number of white space characters before a block. Servers send a few line breaks. */
const MAX_LEADING_SPACE = 64;

/**
 * - `start`: a block may open.
 * - `block`: inside a block.
 * - `undecided`: the text is reasoning without an opening tag if a closing tag follows; otherwise it is the answer.
 * - `answer`: in the answer; a closing tag without an opening tag may follow.
 * - `plain`: all further text is the answer.
 */
type State = 'start' | 'block' | 'undecided' | 'answer' | 'plain';

/**
 * Splits the streamed text of a reasoning model into reasoning and answer. Apart from retractions, the result does not
 * depend on how the stream divides the text. Blocks are recognised at the start of the text only. A closing `</think>`
 * without an opening tag also ends reasoning, unless it is a mention: in code, in quotation marks, in a JSON string, as
 * a word of a sentence, or after an opening tag. Runs in linear time.
 */
export class ReasoningSplitter {
  private state: State = 'start';
  private block: Block | undefined;
  private held = '';
  private readonly undecided: string[] = [];
  private readonly context = new MentionContext();
  private pieces: TextPiece[] = [];
  private isApart = false;
  private hadBlock = false;
  private hasAnswered = false;
  private unopened = false;
  private cut = false;

  constructor(private readonly options: SplitOptions = {}) {}

  /** Whether the text ended inside a block of reasoning. */
  get isCut(): boolean {
    return this.cut;
  }

  /** Whether the text started inside a block without an opening tag. */
  get wasUnopened(): boolean {
    return this.unopened;
  }

  /**
   * Makes the splitter treat closing tags without an opening tag as text. For providers that send reasoning in a
   * separate field.
   */
  expectNoUnopened(): void {
    this.isApart = true;
  }

  push(text: string): TextPiece[] {
    this.held += text;
    return this.advance(false);
  }

  /** @param isTruncated whether the provider stopped at its token limit. */
  end(isTruncated: boolean): TextPiece[] {
    const pieces = this.advance(true);
    if (this.state === 'block') this.cut = this.block?.isAnswer === false;
    if (this.state !== 'undecided') return pieces;
    this.cut = isTruncated;
    return [{ type: isTruncated ? 'reasoning' : 'delta', text: this.undecided.join('') }];
  }

  private advance(isEnd: boolean): TextPiece[] {
    this.pieces = [];
    while (this.step(isEnd));
    return this.pieces;
  }

  /** @returns whether another step may consume more of the held text. */
  private step(isEnd: boolean): boolean {
    if (this.held === '') return false;
    if (this.state === 'start') return this.begin(isEnd);
    if (this.state === 'block') return this.readBlock(isEnd);
    if (this.state === 'undecided') return this.decide(isEnd);
    if (this.state === 'answer') return this.readAnswer(isEnd);
    this.give('delta', this.held.length);
    return false;
  }

  private begin(isEnd: boolean): boolean {
    const text = this.held.trimStart();
    const beginning = text.slice(0, LONGEST_OPENING).toLowerCase();
    this.block = BLOCKS.find(({ open }) => beginning.startsWith(open));
    if (this.block !== undefined) {
      this.held = text.slice(this.block.open.length);
      this.hadBlock = true;
      this.state = 'block';
      return true;
    }
    const space = this.held.length - text.length;
    const mayOpen = space <= MAX_LEADING_SPACE && OPENINGS.some((open) => open.startsWith(beginning));
    if (mayOpen && !isEnd) return false;
    // White space between a block and the answer is dropped.
    if (this.hadBlock) this.held = text;
    if (this.hadBlock || this.isApart) this.state = text === '' ? 'start' : 'plain';
    else if (this.options.opensInPrompt === true) this.state = 'undecided';
    else this.state = this.options.promptHasTag === true ? 'plain' : 'answer';
    return true;
  }

  private readBlock(isEnd: boolean): boolean {
    const { block } = this;
    const ending = block === undefined ? undefined : ENDINGS.get(block);
    if (block === undefined || ending === undefined) throw new Error('Reasoning block without end markers');
    const type = block.isAnswer ? 'delta' : 'reasoning';
    const found = ending.pattern.exec(this.held);
    if (found === null) {
      this.give(type, this.safeLength(ending, isEnd));
      return false;
    }
    this.give(type, found.index);
    const [marker] = found;
    if (block.close.includes(marker.toLowerCase())) this.held = this.held.slice(marker.length);
    this.state = block.isAnswer ? 'plain' : 'start';
    return true;
  }

  private decide(isEnd: boolean): boolean {
    const found = CLOSING.pattern.exec(this.held);
    const end = found === null ? this.safeLength(CLOSING, isEnd) : found.index;
    this.undecided.push(this.held.slice(0, end));
    this.held = this.held.slice(end);
    if (found === null) return false;
    this.pieces.push({ type: 'reasoning', text: this.undecided.join('') });
    this.closeUnopened();
    return true;
  }

  private readAnswer(isEnd: boolean): boolean {
    const found = ANSWER_TAGS.pattern.exec(this.held);
    if (found === null) {
      this.giveAnswer(this.safeLength(ANSWER_TAGS, isEnd));
      return false;
    }
    const [tag] = found;
    if (tag.toLowerCase() === OPENING_TAG) {
      this.state = 'plain';
      return true;
    }
    const next = this.held.charAt(found.index + tag.length);
    // The next character is needed to distinguish a tag from a mention.
    if (next === '' && !isEnd) return false;
    const before = this.held.slice(0, found.index);
    this.context.add(before);
    if (this.context.isMention(next)) {
      this.context.add(tag);
      this.give('delta', found.index + tag.length);
      return true;
    }
    if (this.hasAnswered) this.pieces.push({ type: 'retraction' });
    this.give('reasoning', found.index);
    this.closeUnopened();
    return true;
  }

  private closeUnopened(): void {
    this.held = this.held.slice(CLOSING_TAG.length);
    this.unopened = true;
    this.hadBlock = true;
    this.state = 'start';
  }

  private safeLength({ markers }: Ending, isEnd: boolean): number {
    return this.held.length - (isEnd ? 0 : unfinishedMarker(this.held, markers));
  }

  private giveAnswer(length: number): void {
    this.context.add(this.held.slice(0, length));
    this.give('delta', length);
  }

  private give(type: 'delta' | 'reasoning', length: number): void {
    if (length === 0) return;
    this.pieces.push({ type, text: this.held.slice(0, length) });
    this.held = this.held.slice(length);
    if (type === 'delta') this.hasAnswered = true;
  }
}

/** Splits a complete text into answer and reasoning. */
export function splitReasoning(text: string): JoinedPieces {
  const splitter = new ReasoningSplitter();
  const joined = new JoinedPieces();
  for (const piece of [...splitter.push(text), ...splitter.end(false)]) joined.add(piece);
  return joined;
}

/** Answer and reasoning assembled from pieces. */
export class JoinedPieces {
  text = '';
  reasoning = '';

  add(piece: TextPiece): void {
    if (piece.type === 'delta') this.text += piece.text;
    else if (piece.type === 'reasoning') this.reasoning += piece.text;
    else {
      this.reasoning += this.text;
      this.text = '';
    }
  }
}
