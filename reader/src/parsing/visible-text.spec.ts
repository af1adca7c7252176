import { hasVisibleText, VISIBLE_CHARACTER } from './visible-text.js';

describe('hasVisibleText', () => {
  it.each(['a', '\u200bа\u200b', '0', '.', '漢', '\u{1f600}', 'न\u0940', '\ufffd'])(
    'finds text in %j',
    (text) => {
      expect(hasVisibleText(text)).toBe(true);
    },
  );

  it.each(['', ' \t\r\n\u00a0\u2003\u3000', '\u200b', '\u2060\ufeff', '\u00ad\u200d \u200e', '\u3164\ufe0f'])(
    'finds none in %j',
    (text) => {
      expect(hasVisibleText(text)).toBe(false);
    },
  );

  it('knows every ignorable character of the Basic Multilingual Plane', () => {
    const codes = Array.from({ length: 0xffff }, (_, code) => code).filter(
      (code) => code < 0xd800 || code > 0xdfff,
    );
    const isIgnorable = (text: string): boolean => /^[\s\p{Default_Ignorable_Code_Point}]$/u.test(text);
    const differing = codes
      .map((code) => String.fromCharCode(code))
      .filter((text) => new RegExp(VISIBLE_CHARACTER).test(text) === isIgnorable(text));
    expect(differing).toEqual([]);
  });
});
