import { setImmediate } from 'node:timers/promises';
import { TooLongForRules } from './rule.js';

/** Maximum number of model calls of one rule for one content. */
const MAX_CALLS = 1_000;

/** Separators at which a text may be cut, best first. */
const CUTS = ['\n\n', '\n', '. ', ' '];

const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/** Estimate for English. If a window has too many tokens, it is halved. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Cuts a text into windows of at most `tokens` tokens, between paragraphs if possible. Their concatenation is the text.
 * Yields to the event loop after each window, because counting tokens is CPU-bound.
 * @throws TooLongForRules if the text has too many windows.
 */
export async function windowsOf(
  text: string,
  tokens: number,
  countTokens: (text: string) => number,
): Promise<string[]> {
  const windows: string[] = [];
  for (let start = 0; start < text.length;) {
    const window = fittingWindow(text, start, tokens, countTokens);
    windows.push(window);
    start += window.length;
    requireFew(windows.length);
    await setImmediate();
  }
  return windows;
}

/** @throws TooLongForRules */
export function requireFew(calls: number): void {
  if (calls <= MAX_CALLS) return;
  throw new TooLongForRules(
    `The content is too long for rules, which read at most ${MAX_CALLS} parts. Split the content, or omit the rules`,
  );
}

function fittingWindow(
  text: string,
  start: number,
  tokens: number,
  countTokens: (text: string) => number,
): string {
  let length = tokens * CHARACTERS_PER_TOKEN;
  for (;;) {
    const window = cutWindow(text, start, length);
    if (countTokens(window) <= tokens || length <= 2) return window;
    length = Math.ceil(length / 2);
  }
}

function cutWindow(text: string, start: number, length: number): string {
  if (start + length >= text.length) return text.slice(start);
  const room = text.slice(start, start + length);
  for (const cut of CUTS) {
    const at = room.lastIndexOf(cut);
    if (at > length / 2) return room.slice(0, at + cut.length);
  }
  return HIGH_SURROGATE.test(room) && room.length > 1 ? room.slice(0, -1) : room;
}
