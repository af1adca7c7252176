/**
 * Markers of a block of reasoning, or of an answer, in a model's text. They are in lower case, and match
 * case-insensitively.
 */
export interface Block {
  readonly open: string;
  /** Markers that end the block and are part of it. */
  readonly close: readonly string[];
  /** Markers that end the block and belong to the next block. */
  readonly next: readonly string[];
  readonly isAnswer: boolean;
}

const block = (open: string, close: string): Block => ({ open, close: [close], next: [], isAnswer: false });

/** Beginnings of a message of gpt-oss. Some servers leave its markers in the text. */
const MESSAGE_STARTS = ['', '<|start|>assistant'];

export const BLOCKS: readonly Block[] = [
  ...['think', 'thinking', 'thought', 'reasoning', 'seed:think'].map((tag) => block(`<${tag}>`, `</${tag}>`)),
  block('[think]', '[/think]'),
  ...MESSAGE_STARTS.flatMap((start): Block[] => [
    ...['analysis', 'commentary'].map((channel) => ({
      ...block(`${start}<|channel|>${channel}<|message|>`, '<|end|>'),
      next: ['<|start|>', '<|channel|>'],
    })),
    {
      open: `${start}<|channel|>final<|message|>`,
      close: ['<|end|>', '<|return|>'],
      next: [],
      isAnswer: true,
    },
  ]),
];

/** The opening tag. If a prompt template ends with it, the answer contains the closing tag only. */
export const OPENING_TAG = '<think>';
export const CLOSING_TAG = '</think>';

/** Returns the length of the longest suffix of a text that is a prefix of a marker. */
export function unfinishedMarker(text: string, markers: readonly string[]): number {
  const longest = Math.max(...markers.map((marker) => marker.length)) - 1;
  const tail = text.slice(-longest).toLowerCase();
  for (let at = 0; at < tail.length; at += 1) {
    if (markers.some((marker) => marker.startsWith(tail.slice(at)))) return tail.length - at;
  }
  return 0;
}

/** Builds a case-insensitive pattern that matches any of the markers. */
export function patternOf(markers: readonly string[]): RegExp {
  return new RegExp(markers.map((marker) => marker.replace(/[|[\]]/g, '\\$&')).join('|'), 'i');
}

/** The text before a closing tag. Decides whether the tag ends a block of reasoning or is only a mention. */
export class MentionContext {
  private first = '';
  private last = '';
  private isInCode = false;
  private isInString = false;

  add(text: string): void {
    if (this.first === '') this.first = text.trimStart().charAt(0);
    this.last = text.at(-1) ?? this.last;
    for (const character of text) {
      if (character === '`') this.isInCode = !this.isInCode;
      else if (character === '"') this.isInString = !this.isInString;
    }
  }

  /** @param next the character after the tag; empty at the end of the text. */
  isMention(next: string): boolean {
    const isJson = this.first === '{' || this.first === '[';
    const isWord = /[ \t]/.test(this.last) && /[^\r\n]/.test(next);
    return this.isInCode || (isJson && this.isInString) || isWord || /["'“‘«„(]/.test(this.last);
  }
}
