import { caseFoldingOf, caseVariants } from './case-folding.js';

describe('caseVariants', () => {
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
  ])('returns for %s the variants %s', (character, variants) => {
    expect(caseVariants(character).join('')).toBe(variants);
  });
});

describe('caseFoldingOf', () => {
  it('returns no variants for ASCII', () => {
    expect(caseFoldingOf('File 7%')).toEqual({ folded: 'file 7%', variants: '', replacements: '' });
  });

  it('maps non-ASCII variants to the folded character', () => {
    expect(caseFoldingOf('KÉK')).toEqual({ folded: 'kék', variants: '\u212aÉ', replacements: 'ké' });
    expect(caseFoldingOf('\u212a')).toEqual({ folded: 'k', variants: '\u212a', replacements: 'k' });
    expect(caseFoldingOf('ΣΑΣ')).toEqual(caseFoldingOf('σας'));
  });

  it('keeps the number of characters', () => {
    expect(caseFoldingOf('\u0130STANBUL ß').folded).toBe('\u0130stanbul ß');
  });
});
