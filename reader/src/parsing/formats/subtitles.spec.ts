import type { Source } from '../parser.js';
import { parseSubtitles } from './subtitles.js';

async function textOf(text: string): Promise<string> {
  return (await parseSubtitles({ text } as Source)).text;
}

const srt = (...cues: readonly (readonly [string, string, string])[]): string =>
  cues.map(([start, end, text], index) => `${index + 1}\n${start} --> ${end}\n${text}\n`).join('\n');

describe('parseSubtitles', () => {
  it.each([
    [
      'a sentence over three cues',
      srt(
        ['00:00:01,000', '00:00:03,000', 'The annual inspection of the'],
        ['00:00:03,000', '00:00:05,500', 'pier takes place on the'],
        ['00:00:05,500', '00:00:08,000', 'second Wednesday of May.'],
      ),
      '[00:00:01] The annual inspection of the pier takes place on the second Wednesday of May.',
    ],
    [
      'a cue of two lines',
      srt(['01:02:03,400', '01:02:05,000', 'The lamp is lit\nat dusk.']),
      '[01:02:03] The lamp is lit at dusk.',
    ],
    [
      'styling',
      srt(['00:00:01,000', '00:00:02,000', '{\\an8}<i>The</i> <font color="#fff">lamp</font> &amp; the oil']),
      '[00:00:01] The lamp & the oil',
    ],
    [
      'signs that look like tags',
      srt(['00:00:01,000', '00:00:02,000', 'a < b and {x} > c']),
      '[00:00:01] a < b and {x} > c',
    ],
    [
      'rolling captions of two lines',
      srt(
        ['00:00:01,000', '00:00:02,000', 'the lamp is lit'],
        ['00:00:02,000', '00:00:03,000', 'the lamp is lit\nat dusk by'],
        ['00:00:03,000', '00:00:04,000', 'at dusk by\nthe keeper'],
      ),
      '[00:00:01] the lamp is lit at dusk by the keeper',
    ],
    [
      'captions that grow',
      srt(
        ['00:00:01,000', '00:00:02,000', 'the lamp'],
        ['00:00:02,000', '00:00:03,000', 'the lamp is lit'],
        ['00:00:03,000', '00:00:04,000', 'the lamp is lit at dusk'],
      ),
      '[00:00:01] the lamp is lit at dusk',
    ],
    [
      'WebVTT with notes, styles, identifiers and settings',
      'WEBVTT - talk\n\nSTYLE\n::cue { color: red }\n\nNOTE a comment\nof two lines\n\nintro\n00:01.000 --> 00:02.500 align:start position:0%\n<c.yellow>The</c> <00:01.500>lamp\n\n00:02.500 --> 00:04.000\nis lit.\n',
      '[00:00:01] The lamp is lit.',
    ],
    [
      'speakers',
      'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada Holm>Is the lamp lit?\n\n00:02.000 --> 00:03.000\n<v.loud Bo>Yes,\n\n00:03.000 --> 00:04.000\n<v Bo>since dusk.</v>\n',
      '[00:00:01] Ada Holm: Is the lamp lit?\n\n[00:00:02] Bo: Yes, since dusk.',
    ],
  ])('reads %s', async (_, source, expected) => {
    expect(await textOf(source)).toBe(expected);
  });

  it('keeps numbers that are spoken', async () => {
    expect(await textOf(srt(['00:00:01,000', '00:00:02,000', '41\ncrowns']))).toBe('[00:00:01] 41 crowns');
  });

  it('begins a paragraph after a sentence, not inside one', async () => {
    const cues = Array.from({ length: 60 }, (_, index): [string, string, string] => {
      const at = (second: number): string =>
        `00:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')},000`;
      return [
        at(index * 4),
        at(index * 4 + 4),
        index % 2 === 0 ? `On day ${index} the lamp was` : 'lit at dusk.',
      ];
    });
    const paragraphs = (await textOf(srt(...cues))).split('\n\n');
    expect(paragraphs.length).toBeGreaterThan(2);
    for (const paragraph of paragraphs) {
      expect(paragraph).toMatch(/^\[00:0\d:\d\d\] On day \d+ the lamp was .*lit at dusk\.$/);
    }
  });
});
