import { withoutAppearance, writtenScripts } from './rich-text.js';

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

  const textOf = (rtf: string): string =>
    writtenScripts(Buffer.from(withoutAppearance(Buffer.from(rtf))).toString());

  it.each([
    ['a superscript in a group', '10{\\super 6} cells', '10{^6} cells'],
    ['a superscript until it is switched off', '10\\super 6\\nosupersub  cells', '10^6 cells'],
    ['a superscript that ends with a zero', '10\\super 6\\super0  cells', '10^6 cells'],
    ['a superscript that \\plain ends', '10\\super 6\\plain  cells', '10^6\\plain  cells'],
    ['a subscript', 'H{\\sub 2}O', 'H{_2}O'],
    ['a raised exponent of several runs', 'x{\\super n}{\\super +1}', 'x{^n}{^+1}'],
    ['an exponent with a removed format', 'x{\\super n\\b +\\b0 1}', 'x{^(n+1)}'],
    ['a shift up and down', '5\\up6 3\\up0  m, a\\dn4 2\\dn0  b', '5^3 m, a_2 b'],
    ['a shift too small for a superscript', 'a\\up1 b\\up0 c', 'abc'],
    ['a superscript in Unicode', '10{\\super \\u8722?6}', '10{^(\\u8722?6)}'],
    ['a superscript in the code page', "m{\\super \\'b2}", "m{^(\\'b2)}"],
    ['struck text', 'due {\\strike May}June', 'due {}June'],
    ['twice struck text', 'due {\\striked1 May}June', 'due {}June'],
    ['struck text until it is switched off', 'due \\strike May\\strike0 June', 'due June'],
    ['struck text in Unicode and in the code page', "a{\\strike \\u1076?\\'e9\\emdash b}c", 'a{}c'],
    ['a paragraph end within struck text', '{\\strike a\\par b}c', '{\\par }c'],
    ['a superscript inside an instruction', '{\\*\\fldinst {\\super X}}y', '{\\*\\fldinst {X}}y'],
    ['a struck name of a font', '{\\fonttbl{\\f0\\strike Arial;}}y', '{\\fonttbl{\\f0 Arial;}}y'],
    [
      'a superscript in a text box',
      '{\\*\\shpinst{\\shptxt 10{\\super 6}}}',
      '{\\*\\shpinst{\\shptxt 10{^6}}}',
    ],
  ])('keeps or drops %s', (_, rtf, expected) => {
    expect(textOf(`{\\rtf1 ${rtf}}`)).toBe(`{\\rtf1 ${expected}}`);
  });

  it('reads the fallback of a Unicode character as the character itself', () => {
    expect(textOf('{\\rtf1\\uc2 a{\\strike \\u1076 ??}b}')).toBe('{\\rtf1\\uc2 a{}b}');
  });

  it('joins neighbouring superscripts', () => {
    expect(writtenScripts('x\x7f<n\x7f>\x7f<+1\x7f> y\x7f(1\x7f)\x7f(2\x7f)')).toBe('x^(n+1) y_12');
  });
});
