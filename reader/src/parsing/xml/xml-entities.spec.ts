import { parseXml, textOf } from './xml-tree.js';

const read = (xml: string): string => textOf(parseXml(xml));

describe('entities of XML', () => {
  it.each([
    ['of XML', '<a>&lt;b&gt; &amp; &#233;</a>', '<b> & é'],
    ['of HTML', '<a>caf&eacute;&nbsp;&copy;</a>', 'café\u00a0©'],
    [
      'that are declared',
      '<!DOCTYPE a [<!ENTITY quay "North &amp; &dock;"><!ENTITY dock \'South\'>]><a>&quay;</a>',
      'North & South',
    ],
    ['that are declared twice', '<!DOCTYPE a [<!ENTITY q "1"><!ENTITY q "2">]><a>&q;</a>', '1'],
    ['without a declaration', '<a>the &quay; stays</a>', 'the &quay; stays'],
    ['that refer to a file', '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>', '&f;'],
    ['that refer to themselves', '<!DOCTYPE a [<!ENTITY q "x&q;">]><a>&q;</a>', `${'x'.repeat(8)}&q;`],
    ['named like properties', '<a>&constructor;&toString;</a>', '&constructor;&toString;'],
  ])('%s', (_, xml, expected) => {
    expect(read(xml)).toBe(expected);
  });

  it('do not expand without limit', () => {
    const names = Array.from(
      { length: 8 },
      (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(20)}">`,
    );
    expect(() => read(`<!DOCTYPE a [<!ENTITY e0 "lol">${names.join('')}]><a>&e8;</a>`)).toThrow(
      'expand to more than',
    );
    expect(() =>
      read(`<!DOCTYPE a [<!ENTITY e "${'x'.repeat(9_000)}">]><a>${'&e;'.repeat(2_000)}</a>`),
    ).toThrow('expand to more than');
  });
});
