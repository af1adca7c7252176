import type { Block } from './blocks.js';
import { Boundary, CODE_POINTS, GRAPHEMES, LINES, type Span, WORDS } from './cuts.js';

/** Units looked at in one go: the segmenter copies what it is given, so a text of one line is not given whole. */
const WINDOW = 16_384;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Cuts a block of prose into sentences (UAX #29), which tile it; any other block comes back as it is. */
export function* sentencesOf(text: string, block: Block): Generator<Span> {
  const { end } = block;
  if (block.kind !== 'prose' && end - block.start <= WINDOW) {
    yield block;
    return;
  }
  let { start, boundary } = block;
  while (start < end) {
    const windowEnd = Math.min(end, start + WINDOW);
    const window = text.slice(start, windowEnd);
    let last = 0;
    if (block.kind === 'prose') {
      // A line end inside a paragraph is white space; the segmenter would end the sentence there.
      for (const { index } of segmenter.segment(window.replace(/[\r\n]/g, ' '))) {
        if (index === 0) continue;
        yield { start: start + last, end: start + index, boundary };
        boundary = Boundary.sentence;
        last = index;
      }
    }
    if (windowEnd === end) {
      yield { start: start + last, end, boundary };
      return;
    }
    if (last === 0) {
      last = lastSafeCut(window);
      yield { start, end: start + last, boundary };
      boundary = Boundary.word;
    }
    start += last;
  }
}

/**
 * The last good place to cut a window of a longer text: behind a line end in its second half, else before a word,
 * else between graphemes. The end of the window may stand inside a word or a cluster, so it is never the answer,
 * unless one grapheme cluster fills the window: that one is cut between code points.
 */
function lastSafeCut(window: string): number {
  const newline = LINES.cutsOf(window).before(window.length - 1);
  if (newline > window.length / 2) return newline;
  for (const level of [WORDS, GRAPHEMES]) {
    const cut = level.cutsOf(window).before(window.length - 1);
    if (cut > 0) return cut;
  }
  return CODE_POINTS.cutsOf(window).before(window.length - 1);
}
