import { htmlToMarkdown } from '../html/html-to-markdown.js';

const markdownOf = (html: string): string => htmlToMarkdown(html).markdown;

describe('HTML as Markdown', () => {
  it('keeps headings and paragraphs, and collapses white space', () => {
    expect(
      markdownOf(
        '<h1>The\n  heron</h1><p>It <b>waits</b>\n near the <a href="/r">river</a>.<h3>Food</h3>Fish.',
      ),
    ).toBe('# The heron\n\nIt waits near the river.\n\n### Food\n\nFish.');
  });

  it('drops scripts, styles, navigation and hidden content', () => {
    const html =
      '<nav><a>Home</a></nav><script>let x</script><style>p{}</style><p hidden>No</p><div aria-hidden="true">No</div>' +
      '<div role="navigation">No</div><template>No</template><noscript>No</noscript><p style="color:red; display : none">No</p>' +
      '<p style="visibility:hidden">No</p><del>No</del><button>No</button><span epub:type="pagebreak">12</span>' +
      '<p hidden="until-found">Yes<!-- no --></p>';
    expect(markdownOf(html)).toBe('Yes');
  });

  it('writes lists, nested and numbered', () => {
    expect(
      markdownOf(
        '<p>Food:</p><ul><li>Fish<ol start="3"><li>Perch</li><li>Eel</li></ol></li><li>Frogs</li></ul><p>Done.</p>',
      ),
    ).toBe('Food:\n\n- Fish\n  3. Perch\n  4. Eel\n- Frogs\n\nDone.');
  });

  it('writes data tables', () => {
    expect(
      markdownOf(
        '<table><caption>Counts</caption><tr><th>Bird<th>Count</tr><tr><td>Heron | grey<td>7</tr><tr><td>Gull</tr></table>',
      ),
    ).toBe('Counts\n\n| Bird | Count |\n| --- | --- |\n| Heron \\| grey | 7 |\n| Gull |  |');
  });

  it.each([
    [
      'over several columns and rows of a header',
      '<tr><td rowspan=2>Branch<td colspan=2>Hours<td rowspan=2>Visitors<tr><td>Weekday<td>Weekend' +
        '<tr><td>Cedar<td>11-13<td>12-14<td>285<tr><td>Elm<td>9-17<td>11-16<td>310',
      'Branch, Hours Weekday, Hours Weekend, Visitors; Cedar, 11-13, 12-14, 285; Elm, 9-17, 11-16, 310',
    ],
    [
      'over rows of figures',
      '<tr><th>Ship<th>Deck<th>Berths<tr><td rowspan=2>Aurora<td>upper<td>20<tr><td>lower<td>14<tr><td>Bora<td>upper<td>8',
      'Ship, Deck, Berths; Aurora, upper, 20; Aurora, lower, 14; Bora, upper, 8',
    ],
    [
      'over columns of figures',
      '<tr><th>Name<th colspan=2>Telephone<tr><td>Ann<td>1<td>2<tr><td colspan=2>Bea<td>3',
      'Name, Telephone, Telephone; Ann, 1, 2; Bea, , 3',
    ],
    [
      'with two rows of th',
      '<thead><tr><th><th colspan=2>2022<tr><th>Engine<th>Litres<th>Cost<tbody><tr><td>Elm<td>44<td>90',
      'Engine, 2022 Litres, 2022 Cost; Elm, 44, 90',
    ],
    [
      'with lists in similar rows',
      '<tr><td>Soup<td>Holds<tr><td>Larch<td><ul><li>root<li>leaf</ul><tr><td>Fir<td><ul><li>cone</ul>',
      'Soup, Holds; Larch, root leaf; Fir, cone',
    ],
  ])('keeps the columns of cells %s', (_, rows, expected) => {
    const [header = '', ...others] = expected.split('; ').map((row) => `| ${row.replaceAll(', ', ' | ')} |`);
    const dashes = header.replace(/[^|]+/g, ' --- ');
    expect(markdownOf(`<table>${rows}</table>`)).toBe([header, dashes, ...others].join('\n'));
  });

  it('uses a row of one cell above a table as its caption', () => {
    expect(
      markdownOf('<table><tr><td colspan=2>Fees of 2024<tr><td>Berth<td>Fee<tr><td>North<td>12</table>'),
    ).toBe('Fees of 2024\n\n| Berth | Fee |\n| --- | --- |\n| North | 12 |');
  });

  it.each([
    ['over all rows and many columns', '<tr><td rowspan=65534>A word or two<td colspan=1000>b'.repeat(2_000)],
    ['over more columns than the maximum', '<tr><td colspan=2000000000>a<td>b<tr><td>c<td>d'],
    ['over many columns, repeatedly', `<tr>${'<td colspan=1000>a'.repeat(2_000)}`],
    [
      'after many other cells, over many short rows',
      `<tr>${'<td>a'.repeat(2_000)}<td rowspan=65534>b${'<tr><td>c'.repeat(2_000)}`,
    ],
  ])('limits a table with cells %s', (_, rows) => {
    expect(markdownOf(`<table>${rows}</table>`).length).toBeLessThan(500_000);
  });

  it('reads a layout table cell by cell', () => {
    expect(markdownOf('<table><tr><td><h2>Left</h2>One<td><ul><li>Two</ul></table>')).toBe(
      '## Left\n\nOne\n\n- Two',
    );
  });

  it('keeps significant white space', () => {
    expect(markdownOf('<pre>a\n  b</pre><blockquote><p>So it is.</p><p>Yes.</p></blockquote>a<br>b')).toBe(
      '```\na\n  b\n```\n\n> So it is.\n\n> Yes.\n\na\nb',
    );
  });

  it.each([
    ['powers', '10<sup>6</sup> and 5×10<sup>−3</sup>, E = mc<sup>2</sup>', '10^6 and 5×10^-3, E = mc^2'],
    ['formulas', 'H<sub>2</sub>O, x<sub>i<sup>2</sup></sub>', 'H_2O, x_(i^2)'],
    ['alignments', '10<span style="vertical-align: super">6</span>', '10^6'],
    [
      'alignments by class',
      '<style>p{x:y} .c1{font-size:8pt;vertical-align:super}</style>10<span class="a c1">6</span>, a<span class="subscript">n</span>',
      '10^6, a_n',
    ],
    ['fractions', '1<sup>3</sup>⁄<sub>4</sub> or <sup>1</sup>/<sub>2</sub>', '1 3/4 or 1/2'],
    ['ordinals and signs', 'the 1<sup>st</sup>, Lectern<sup>®</sup>', 'the 1st, Lectern®'],
    ['Unicode superscripts, subscripts and fractions', '10⁶, H₂O, ¾', '10⁶, H₂O, ¾'],
    [
      'notes',
      '50<sup><a href="#fn2">2</a></sup> and 60<a role="doc-noteref" href="#f"><sup>3</sup></a>',
      '50[2] and 60[3]',
    ],
    [
      'notes by class',
      '50<sup class="footnote-ref">2</sup>, 7<sup class="reference"><a href="#c">[8]</a></sup>',
      '50[2], 7[8]',
    ],
    ['headings', '<h2>CO<sub>2</sub> of 10<sup>6</sup> cars</h2>', '## CO_2 of 10^6 cars'],
    ['verbatim text', '<pre>10<sup>6</sup>\n  b</pre>', '```\n10^6\n  b\n```'],
    ['formulas of MathML', 'dose <math><msup><mn>10</mn><mn>6</mn></msup></math>.', 'dose 10^6.'],
    [
      'formulas on their own line',
      'so<math display="block"><mfrac><mn>3</mn><mn>4</mn></mfrac></math>it',
      'so\n\n3/4\n\nit',
    ],
  ])('writes superscripts and subscripts: %s', (_, html, expected) => {
    expect(markdownOf(html)).toBe(expected);
  });

  it('writes superscripts in tables', () => {
    expect(markdownOf('<table><tr><th>Unit<th>Per m<sup>2</sup><tr><td>A<td>10<sup>6</sup></table>')).toBe(
      '| Unit | Per m^2 |\n| --- | --- |\n| A | 10^6 |',
    );
  });

  it.each([
    [
      'text',
      '<label>Name <input value="Ada"></label><input type=hidden value=no><input type=password value=no>',
      'Name Ada',
    ],
    ['boxes', '<input type=checkbox checked>Paid<br><input type=radio>Open', '[x] Paid\n[ ] Open'],
    ['a choice', '<select><option>Small<option selected>Large</select>', 'Large'],
    ['a drop-down list', '<select><option>Small<option>Large</select>', 'Small'],
    ['a list box', '<select multiple><option>Small<option>Large</select>', 'Small, Large'],
    ['a text area', '<textarea>Two\nlines</textarea>', 'Two lines'],
  ])('reads fields of a form: %s', (_, html, expected) => {
    expect(markdownOf(html)).toBe(expected);
  });

  it.each([
    [
      'struck text',
      'now <s>10</s> <ins>12</ins>, <span style="text-decoration: line-through">x</span>',
      'now ~~10~~ 12, ~~x~~',
    ],
    ['details', '<details><summary>More</summary>Text</details>', 'More\n\nText'],
    ['readings', '<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>', '漢(かん)'],
    ['invisible characters', 'soft&shy;hyphen, long<wbr>word', 'softhyphen, longword'],
    ['quotations', 'so <q>be it</q>', 'so “be it”'],
    [
      'abbreviations',
      '<abbr title="World Health Organization">WHO</abbr>, <abbr title="World Health Organization">WHO</abbr>',
      'WHO (World Health Organization), WHO',
    ],
    ['definitions', '<dl><dt>Term<dd>Definition<dt>Two<dd>2</dl>', 'Term\n: Definition\nTwo\n: 2'],
    ['pages in a page', '<iframe srcdoc="<p>Inner <b>page</b></p>"></iframe>', 'Inner page'],
    [
      'drawings',
      '<svg><title>Map</title><defs><text>No</text></defs><text>North</text><text>South</text></svg>',
      'Map\nNorth\nSouth',
    ],
    ['icons', 'Go <svg><title>home</title><path/></svg>.', 'Go home.'],
    ['buttons that are headings', '<h3><button>Refunds?</button></h3>', '### Refunds?'],
  ])('reads %s', (_, html, expected) => {
    expect(markdownOf(html)).toBe(expected);
  });

  it.each([
    ['letters', '<ol type="a" start="26"><li>x<li>y</ol>', 'z. x\naa. y'],
    ['capital Roman numbers', '<ol type="I" start="3"><li>x<li value="9">y<li>z</ol>', 'III. x\nIX. y\nX. z'],
    ['descending numbers', '<ol reversed><li>x<li>y</ol>', '2. x\n1. y'],
    [
      'numbers without a Roman numeral',
      '<ol type="i" start="0"><li>x<li value="5000">y</ol>',
      '0. x\n5000. y',
    ],
  ])('numbers lists as displayed: %s', (_, html, expected) => {
    expect(markdownOf(html)).toBe(expected);
  });

  it.each(['sup', 'math', 'span', 'svg', 'iframe', 's', 'b', 'dd'])('reads %s nested 20,000 deep', (name) => {
    expect(markdownOf(`a${`<${name}>`.repeat(20_000)}b`)).toMatch(/^a/);
  });

  it('reads a paragraph of 100,000 powers', () => {
    expect(markdownOf('10<sup>6</sup> '.repeat(100_000))).toHaveLength(499_999);
  });

  it('finds title, language, author and description', () => {
    expect(
      htmlToMarkdown(
        '<html lang="en"><head><title>The\n heron</title><meta name="Author" content="Ada"><meta name="description" content="Birds"></head>',
      ),
    ).toEqual({ markdown: '', title: 'The heron', language: 'en', author: 'Ada', description: 'Birds' });
  });
});
