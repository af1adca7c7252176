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
