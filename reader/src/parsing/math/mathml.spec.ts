import { parseXml } from '../xml/xml-tree.js';
import { lineOfMath } from './mathml.js';

const lineOf = (inside: string): string => lineOfMath(parseXml(`<math>${inside}</math>`));

const sup = (base: string, upper: string): string => `<msup>${base}${upper}</msup>`;

describe('MathML on one line', () => {
  it.each([
    ['a fraction', '<mi>a</mi><mo>=</mo><mfrac><mi>b</mi><mi>c</mi></mfrac>', 'a = b/c'],
    ['a mixed number', '<mn>2</mn><mo>&#x2064;</mo><mfrac><mn>3</mn><mn>4</mn></mfrac>', '2 3/4'],
    [
      'a fraction of sums',
      '<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>',
      '\\frac{a + b}{2}',
    ],
    ['a power of ten', sup('<mn>10</mn>', '<mn>6</mn>'), '10^6'],
    ['a negative power', sup('<mn>10</mn>', '<mrow><mo>−</mo><mn>3</mn></mrow>'), '10^-3'],
    ['a power of sums', sup('<mi>x</mi>', '<mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow>'), 'x^{n + 1}'],
    ['a power of a fraction', sup('<mfrac><mi>b</mi><mi>c</mi></mfrac>', '<mn>2</mn>'), '(b/c)^2'],
    [
      'letters beside a power',
      `<mi>E</mi><mo>=</mo><mi>m</mi>${sup('<mi>c</mi>', '<mn>2</mn>')}`,
      'E = mc^2',
    ],
    ['a power beside a letter', `${sup('<mi>x</mi>', '<mn>2</mn>')}<mi>y</mi>`, 'x^2 y'],
    ['digits in separate elements', '<mn>1</mn><mn>0</mn><mo>&lt;</mo><mi>x</mi>', '10 < x'],
    [
      'a negative number',
      '<mo>(</mo><mo>-</mo><mn>3</mn><mo>)</mo><mo>−</mo><mo>−</mo><mn>4</mn>',
      '(-3) - -4',
    ],
    ['degrees', sup('<mn>20</mn>', '<mo>∘</mo>'), '20°'],
    ['a derivative', sup('<mi>f</mi>', '<mo>′</mo>'), 'f′'],
    [
      'functions and text',
      '<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><mo>≤</mo><msqrt><mi>α</mi></msqrt><mtext>for every</mtext><mi>x</mi>',
      'sin x ≤ \\sqrt{α} for every x',
    ],
    ['a root', '<mroot><mi>x</mi><mn>3</mn></mroot>', '\\sqrt[3]{x}'],
    [
      'a sum',
      '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>a</mi><mi>i</mi></msub>',
      '∑_{i = 1}^n a_i',
    ],
    [
      'an accent',
      '<mover><mi>x</mi><mo>¯</mo></mover><munder><mi>a</mi><mi>b</mi></munder>',
      '\\bar{x}\\underset{b}{a}',
    ],
    [
      'a matrix',
      '<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable><mo>)</mo>',
      '(\\begin{matrix} 1 & 2 \\\\ 3 & 4 \\end{matrix})',
    ],
    ['fences', '<mfenced open="["><mi>a</mi><mi>b</mi><mi>c</mi></mfenced>', '[a, b, c)'],
    [
      'an isotope',
      '<mmultiscripts><mi>U</mi><none/><none/><mprescripts/><mn>92</mn><mn>238</mn></mmultiscripts>',
      '{}_92^238 U',
    ],
    ['an alphabet', '<mi>x</mi><mo>∈</mo><mi mathvariant="double-struck">R</mi>', 'x ∈ \\mathbb{R}'],
    ['a phantom', '<mi>x</mi><mphantom><mi>y</mi></mphantom><mspace/><mi>z</mi>', 'x z'],
    ['alternatives', '<maction><mi>x</mi><mi>y</mi></maction>', 'x'],
    ['content markup', '<apply><plus/><ci>x</ci><cn>2</cn></apply>', 'plus(x, 2)'],
    ['text without elements', '5 km', '5 km'],
    ['surplus children', '<msup><mi>a</mi><mi>b</mi><mi>c</mi></msup>', 'a^b c'],
    ['elements with names of properties', '<constructor><mi>a</mi></constructor>', 'a'],
    ['nothing', '<mfrac/><msup/><munder/><mmultiscripts/><apply/>', '\\frac{}{}()'],
  ])('writes %s', (_, inside, expected) => {
    expect(lineOf(inside)).toBe(expected);
  });

  it('prefers the annotation in LaTeX, once', () => {
    expect(
      lineOf(
        '<semantics><mrow><mi>E</mi></mrow><annotation encoding="application/x-tex">{\\displaystyle E=mc^{2}}</annotation></semantics>',
      ),
    ).toBe('E=mc^{2}');
  });

  it('omits other annotations', () => {
    expect(
      lineOf(
        '<semantics><mi>E</mi><annotation encoding="StarMath 5.0">E from x</annotation><annotation-xml><ci>E</ci></annotation-xml></semantics>',
      ),
    ).toBe('E');
  });

  it('writes formulas up to the parsed depth and length', () => {
    expect(lineOf(`${'<mrow>'.repeat(500)}<mi>x</mi>${'</mrow>'.repeat(500)}`)).toBe('x');
    expect(lineOf('<mo>(</mo><mi>x</mi>'.repeat(10_000))).toHaveLength(20_000);
    expect(lineOf(`<msup>${'<mi>x</mi>'.repeat(10_000)}</msup>`)).toHaveLength(10_002);
  });
});
