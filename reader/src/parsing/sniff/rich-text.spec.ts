import { withoutAppearance } from './rich-text.js';

describe('withoutAppearance', () => {
  it.each([
    ['a text', '{\\rtf1 The heron waits.}'],
    ['groups and data after the last group', '{\\rtf1{\\b waits}}\r\n\0{'],
    ['escaped braces', '{\\rtf1 \\{ \\} \\\\}'],
    ['bytes that look like braces', '{\\rtf1{\\pict\\bin3 {{{}}'],
  ])('accepts %s', (_, rtf) => {
    expect(() => {
      withoutAppearance(Buffer.from(rtf));
    }).not.toThrow();
  });

  it.each(['{\\rtf1 The heron', '{\\rtf1{\\b waits}', '{\\rtf1 waits\\}', '{\\rtf1 \\bin99 }'])(
    'rejects %s',
    (rtf) => {
      expect(() => {
        withoutAppearance(Buffer.from(rtf));
      }).toThrow(/truncated or damaged/);
    },
  );

  it.each([
    ['{\\rtf1 heron{\\b\\fs24 waits}\\i0  here}', '{\\rtf1 heron{waits} here}'],
    ['{\\rtf1\\par\\b text}', '{\\rtf1\\par text}'],
    ['{\\rtf1\\f1\\bin2 \\b\\u8217\\b ?\\blue255}', '{\\rtf1\\f1\\bin2 \\b\\u8217 ?\\blue255}'],
    ["{\\rtf1 na\\'efve\\~\\{\\b}", "{\\rtf1 na\\'efve\\~\\{}"],
  ])('reduces %s to the same text without formatting', (rtf, plain) => {
    expect(Buffer.from(withoutAppearance(Buffer.from(rtf))).toString()).toBe(plain);
  });
});
