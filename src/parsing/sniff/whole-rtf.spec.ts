import { refuseCutOff } from './whole-rtf.js';

describe('refuseCutOff', () => {
  it.each([
    ['a text', '{\\rtf1 The heron waits.}'],
    ['groups and what follows the last', '{\\rtf1{\\b waits}}\r\n\0{'],
    ['braces that are text', '{\\rtf1 \\{ \\} \\\\}'],
    ['bytes that look like braces', '{\\rtf1{\\pict\\bin3 {{{}}'],
  ])('passes %s', (_, rtf) => {
    expect(() => {
      refuseCutOff(Buffer.from(rtf));
    }).not.toThrow();
  });

  it.each(['{\\rtf1 The heron', '{\\rtf1{\\b waits}', '{\\rtf1 waits\\}', '{\\rtf1 \\bin99 }'])(
    'refuses %s',
    (rtf) => {
      expect(() => {
        refuseCutOff(Buffer.from(rtf));
      }).toThrow(/cut off or damaged/);
    },
  );
});
