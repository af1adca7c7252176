import { parseXml } from '../xml/xml-tree.js';
import { lineOfOfficeMath } from './omml.js';

const lineOf = (inside: string): string => lineOfOfficeMath(parseXml(`<m:oMath>${inside}</m:oMath>`));

const r = (text: string, properties = ''): string =>
  `<m:r><m:rPr>${properties}</m:rPr><m:t>${text}</m:t></m:r>`;
const e = (...content: string[]): string => content.map((one) => `<m:e>${one}</m:e>`).join('');
const is = (name: string, value: string): string => `<m:${name} m:val="${value}"/>`;

describe('Office Math on one line', () => {
  it.each([
    ['typed text', r('±0.05 ') + r('mm'), '±0.05 mm'],
    ['a fraction', `<m:f><m:num>${r('a')}</m:num><m:den>${r('b')}</m:den></m:f>`, 'a/b'],
    ['a fraction of sums', `<m:f><m:num>${r('a+b')}</m:num><m:den>${r('2')}</m:den></m:f>`, '\\frac{a+b}{2}'],
    [
      'stacked numbers',
      `<m:f><m:fPr>${is('type', 'noBar')}</m:fPr><m:num>${r('n')}</m:num><m:den>${r('k')}</m:den></m:f>`,
      '{n \\atop k}',
    ],
    ['a power', `<m:sSup>${e(r('10'))}<m:sup>${r('6')}</m:sup></m:sSup>`, '10^6'],
    ['a power of a sum', `<m:sSup>${e(r('a+b'))}<m:sup>${r('n+1')}</m:sup></m:sSup>`, '{a+b}^{n+1}'],
    ['an index', `<m:sSub>${e(r('x'))}<m:sub>${r('i')}</m:sub></m:sSub>`, 'x_i'],
    ['both', `<m:sSubSup>${e(r('x'))}<m:sub>${r('i')}</m:sub><m:sup>${r('2')}</m:sup></m:sSubSup>`, 'x_i^2'],
    [
      'an isotope',
      `<m:sPre><m:sub>${r('92')}</m:sub><m:sup>${r('238')}</m:sup>${e(r('U'))}</m:sPre>`,
      '{}_92^238 U',
    ],
    ['a root', `<m:rad><m:radPr>${is('degHide', '1')}</m:radPr><m:deg/>${e(r('x'))}</m:rad>`, '\\sqrt{x}'],
    ['a cube root', `<m:rad><m:deg>${r('3')}</m:deg>${e(r('x'))}</m:rad>`, '\\sqrt[3]{x}'],
    [
      'a sum',
      `<m:nary><m:naryPr>${is('chr', '∑')}</m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup>${e(r('a'))}</m:nary>`,
      '∑_{i=1}^n a',
    ],
    ['an integral', `<m:nary><m:sub/><m:sup/>${e(r('f dx'))}</m:nary>`, '∫ f dx'],
    ['brackets', `<m:d>${e(r('a'), r('b'))}</m:d>`, '(a|b)'],
    [
      'cases',
      `<m:d><m:dPr>${is('begChr', '{')}${is('endChr', '')}</m:dPr>${e(`<m:eqArr>${e(r('0&amp;, x'), r('1&amp;, y'))}</m:eqArr>`)}</m:d>`,
      '{\\begin{matrix} 0, x \\\\ 1, y \\end{matrix}',
    ],
    ['a numbered equation', `<m:eqArr>${e(`${r('E=m#')}<m:d>${e(r('1'))}</m:d>`)}</m:eqArr>`, 'E=m (1)'],
    [
      'a matrix',
      `<m:m><m:mr>${e(r('1'), r('2'))}</m:mr><m:mr>${e(r('3'), r('4'))}</m:mr></m:m>`,
      '\\begin{matrix} 1 & 2 \\\\ 3 & 4 \\end{matrix}',
    ],
    [
      'accents',
      `<m:acc>${e(r('x'))}</m:acc><m:acc><m:accPr>${is('chr', '\u20d7')}</m:accPr>${e(r('v'))}</m:acc>`,
      '\\hat{x}\\vec{v}',
    ],
    ['bars', `<m:bar><m:barPr>${is('pos', 'top')}</m:barPr>${e(r('x'))}</m:bar>`, '\\overline{x}'],
    ['a brace', `<m:groupChr>${e(r('x'))}</m:groupChr>`, '\\underbrace{x}'],
    ['a function', `<m:func><m:fName>${r('sin')}</m:fName>${e(r('x'))}</m:func>`, 'sin x'],
    [
      'a limit',
      `<m:func><m:fName><m:limLow>${e(r('lim'))}<m:lim>${r('n→∞')}</m:lim></m:limLow></m:fName>${e(r('x'))}</m:func>`,
      'lim_{n→∞} x',
    ],
    ['an alphabet', r('x∈') + r('R', is('scr', 'double-struck')), 'x∈\\mathbb{R}'],
    [
      'hidden parts',
      `<m:phant><m:phantPr>${is('show', '0')}</m:phantPr>${e(r('x'))}</m:phant>${r('y')}`,
      'y',
    ],
    ['changes', `<w:del>${r('x')}</w:del><w:ins>${r('y')}</w:ins>`, 'y'],
    ['boxes', `<m:borderBox>${e(r('x'))}</m:borderBox><m:box>${e(r('=y'))}</m:box>`, 'x=y'],
    ['nothing', '<m:f/><m:sSup/><m:d/><m:eqArr/><m:nary/>', '\\frac{}{}()\\begin{matrix} \\end{matrix}∫'],
  ])('writes %s', (_, inside, expected) => {
    expect(lineOf(inside)).toBe(expected);
  });

  it('writes formulas up to the parsed depth and length', () => {
    expect(lineOf(`${'<m:box><m:e>'.repeat(250)}${r('x')}${'</m:e></m:box>'.repeat(250)}`)).toBe('x');
    expect(lineOf(r('x').repeat(10_000))).toHaveLength(10_000);
  });
});
