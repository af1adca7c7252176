import type { Parser } from '../parser.js';

/**
 * Subtitles (SubRip, WebVTT) as the speech that they transcribe: whole sentences in paragraphs, each with the time of its
 * beginning. Leaves out cue numbers, styling and the lines that rolling captions repeat.
 */
export const parseSubtitles: Parser = ({ text }) => {
  const paragraphs = paragraphsOf(spokenCues(cuesOf(text ?? '')));
  return {
    text: paragraphs.map(({ start, text: speech }) => `[${clock(start)}] ${speech}`).join('\n\n'),
    textType: 'text/plain',
    properties: {},
  };
};

/** A text with the times between which it is shown, in seconds. */
interface Cue {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

const TIME = String.raw`(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})`;
const TIMING = new RegExp(`^\\s*${TIME}\\s*-->\\s*${TIME}`);

function cuesOf(source: string): Cue[] {
  const cues: { start: number; end: number; lines: string[] }[] = [];
  let isOpen = false;
  for (const line of source.split('\n')) {
    const timing = TIMING.exec(line);
    if (timing !== null) {
      cues.push({ start: secondsOf(timing.slice(1, 5)), end: secondsOf(timing.slice(5, 9)), lines: [] });
      isOpen = true;
    } else if (line.trim() === '') isOpen = false;
    else if (isOpen) cues.at(-1)?.lines.push(line);
  }
  return cues;
}

function secondsOf([hours = '0', minutes = '0', seconds = '0', fraction = '0']: readonly string[]): number {
  return Number(hours || 0) * 3_600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`);
}

interface Speech {
  readonly start: number;
  readonly end: number;
  /** Empty if the cue names no speaker. */
  readonly speaker: string;
  readonly text: string;
}

/** Tags, times inside of a cue, and the overrides of other formats: `<i>`, `<00:00:01.000>`, `{\an8}`. */
const STYLING = /<\/?[a-z][^<>]*>|<[\d:.]+>|\{\\[^{}]*\}/gi;
const SPEAKER = /<v(?:\.[^\s>]*)?\s+([^<>]+)>/i;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: ' ',
  lrm: '',
  rlm: '',
};

function spokenCues(cues: readonly Cue[]): Speech[] {
  const spoken: Speech[] = [];
  let shown: readonly string[] = [];
  for (const { start, end, lines } of cues) {
    const speaker = SPEAKER.exec(lines.join(' '))?.[1]?.trim() ?? '';
    const texts = lines.map(plain).filter((line) => line !== '');
    const text = withoutRepeated(texts, shown).join(' ');
    if (texts.length > 0) shown = texts;
    if (text !== '') spoken.push({ start, end, speaker, text });
  }
  return spoken;
}

function plain(line: string): string {
  return line
    .replace(STYLING, '')
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Leaves out the first lines of a cue if the previous cue ends with them, or the part of a line that it had. */
function withoutRepeated(lines: readonly string[], shown: readonly string[]): readonly string[] {
  for (let count = Math.min(lines.length, shown.length); count > 0; count -= 1) {
    const repeated = shown.slice(-count);
    if (repeated.every((line, index) => line === lines[index])) return lines.slice(count);
  }
  const [first = '', ...rest] = lines;
  const last = shown.at(-1) ?? '';
  return last !== '' && first.startsWith(`${last} `) ? [first.slice(last.length + 1), ...rest] : lines;
}

/** Length in characters after which the end of a sentence, or a pause, ends a paragraph. */
const SENTENCES = 400;
/** Length in characters after which a paragraph without punctuation ends. */
const MOST = 1_200;
/** A pause of so many seconds separates two sentences. */
const PAUSE = 3;

const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/;

function paragraphsOf(speech: readonly Speech[]): { start: number; text: string }[] {
  const paragraphs: { start: number; text: string; end: number; speaker: string }[] = [];
  for (const { start, end, speaker, text } of speech) {
    const open = paragraphs.at(-1);
    const isNew = speaker !== '' && speaker !== open?.speaker;
    if (open === undefined || isNew || isComplete(open, start)) {
      paragraphs.push({ start, end, speaker, text: isNew ? `${speaker}: ${text}` : text });
    } else {
      open.text += ` ${text}`;
      open.end = end;
    }
  }
  return paragraphs;
}

function isComplete({ text, end }: { readonly text: string; readonly end: number }, next: number): boolean {
  if (text.length >= MOST) return true;
  return text.length >= SENTENCES && (SENTENCE_END.test(text) || next - end >= PAUSE);
}

function clock(seconds: number): string {
  const parts = [seconds / 3_600, (seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':');
}
