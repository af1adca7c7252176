import { replaceElements } from './xml-tree.js';

describe('replaceElements', () => {
  const upper = (xml: string): string =>
    replaceElements(xml, new Set(['b', 'i']), (name, source) =>
      source.includes('keep') ? undefined : `[${name} ${source.length}]`,
    );

  it.each([
    [
      'what is around an element',
      '<a x="&lt;b>" >é𝄞<w:b  y="1">1</w:b> &amp;\n<c/></a>',
      '<a x="&lt;b>" >é𝄞[b 19] &amp;\n<c/></a>',
    ],
    ['an element without content', '<a><b/><b /></a>', '<a>[b 4][b 5]</a>'],
    ['the outer one of two', '<a><b>1<i>2</i>3</b><i>4</i></a>', '<a>[b 17][i 8]</a>'],
    ['what is inside of one that stays', '<a><b>keep<i>2</i></b></a>', '<a><b>keep[i 8]</b></a>'],
    ['nothing', '<a>text</a>', '<a>text</a>'],
  ])('replaces %s', (_, xml, expected) => {
    expect(upper(xml)).toBe(expected);
  });
});
