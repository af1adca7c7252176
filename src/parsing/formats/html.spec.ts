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

  it('drops scripts, styles, navigation and what is hidden', () => {
    const html =
      '<nav><a>Home</a></nav><script>let x</script><style>p{}</style><p hidden>No</p><div aria-hidden="true">No</div>' +
      '<div role="navigation">No</div><template>No</template><svg><text>No</text></svg><p>Yes<!-- no --></p>';
    expect(markdownOf(html)).toBe('Yes');
  });

  it('writes lists, nested and numbered', () => {
    expect(
      markdownOf(
        '<p>Food:</p><ul><li>Fish<ol start="3"><li>Perch</li><li>Eel</li></ol></li><li>Frogs</li></ul><p>Done.</p>',
      ),
    ).toBe('Food:\n\n- Fish\n  3. Perch\n  4. Eel\n- Frogs\n\nDone.');
  });

  it('writes tables of data', () => {
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
      'with lists in rows that are alike',
      '<tr><td>Soup<td>Holds<tr><td>Larch<td><ul><li>root<li>leaf</ul><tr><td>Fir<td><ul><li>cone</ul>',
      'Soup, Holds; Larch, root leaf; Fir, cone',
    ],
  ])('keeps the columns of cells %s', (_, rows, expected) => {
    const [header = '', ...others] = expected.split('; ').map((row) => `| ${row.replaceAll(', ', ' | ')} |`);
    const dashes = header.replace(/[^|]+/g, ' --- ');
    expect(markdownOf(`<table>${rows}</table>`)).toBe([header, dashes, ...others].join('\n'));
  });

  it('takes a row of one cell above a table for its caption', () => {
    expect(
      markdownOf('<table><tr><td colspan=2>Fees of 2024<tr><td>Berth<td>Fee<tr><td>North<td>12</table>'),
    ).toBe('Fees of 2024\n\n| Berth | Fee |\n| --- | --- |\n| North | 12 |');
  });

  it.each([
    ['over all rows and many columns', '<tr><td rowspan=65534>A word or two<td colspan=1000>b'.repeat(2_000)],
    ['over more columns than there can be', '<tr><td colspan=2000000000>a<td>b<tr><td>c<td>d'],
    ['over many columns one after another', `<tr>${'<td colspan=1000>a'.repeat(2_000)}`],
    [
      'behind many others, over many short rows',
      `<tr>${'<td>a'.repeat(2_000)}<td rowspan=65534>b${'<tr><td>c'.repeat(2_000)}`,
    ],
  ])('does not let cells %s blow a table up', (_, rows) => {
    expect(markdownOf(`<table>${rows}</table>`).length).toBeLessThan(500_000);
  });

  it('reads a table that lays out a page cell after cell', () => {
    expect(markdownOf('<table><tr><td><h2>Left</h2>One<td><ul><li>Two</ul></table>')).toBe(
      '## Left\n\nOne\n\n- Two',
    );
  });

  it('keeps white space where it counts', () => {
    expect(markdownOf('<pre>a\n  b</pre><blockquote><p>So it is.</p><p>Yes.</p></blockquote>a<br>b')).toBe(
      '```\na\n  b\n```\n\n> So it is.\n\n> Yes.\n\na\nb',
    );
  });

  it('finds title, language, author and description', () => {
    expect(
      htmlToMarkdown(
        '<html lang="en"><head><title>The\n heron</title><meta name="Author" content="Ada"><meta name="description" content="Birds"></head>',
      ),
    ).toEqual({ markdown: '', title: 'The heron', language: 'en', author: 'Ada', description: 'Birds' });
  });
});
