import { caseFoldingOf, caseVariants } from './case-folding.js';

describe('characters that are the same without case', () => {
  it.each([
    ['a', 'Aa'],
    ['K', 'Kk\u212a'],
    ['s', 'Ss\u017f'],
    ['i', 'Ii'],
    ['\u0131', '\u0131'],
    ['\u0130', '\u0130'],
    ['ß', 'ß\u1e9e'],
    ['σ', 'Σςσ'],
    ['é', 'Éé'],
    ['\u01c4', '\u01c4\u01c5\u01c6'],
    ['Θ', 'Θθ\u03d1\u03f4'],
    ['\u{10400}', '\u{10400}\u{10428}'],
    ['\u{1e943}', '\u{1e921}\u{1e943}'],
    ['漢', '漢'],
    ['5', '5'],
  ])('of %s are %s', (character, variants) => {
    expect(caseVariants(character).join('')).toBe(variants);
  });
});

describe('text with its case folded', () => {
  it('leaves ASCII to the database', () => {
    expect(caseFoldingOf('File 7%')).toEqual({ folded: 'file 7%', variants: '', replacements: '' });
  });

  it('maps what stands for a character to that character', () => {
    expect(caseFoldingOf('KÉK')).toEqual({ folded: 'kék', variants: '\u212aÉ', replacements: 'ké' });
    expect(caseFoldingOf('\u212a')).toEqual({ folded: 'k', variants: '\u212a', replacements: 'k' });
    expect(caseFoldingOf('ΣΑΣ')).toEqual(caseFoldingOf('σας'));
  });

  it('does not change how many characters there are', () => {
    expect(caseFoldingOf('\u0130STANBUL ß').folded).toBe('\u0130stanbul ß');
  });
});
