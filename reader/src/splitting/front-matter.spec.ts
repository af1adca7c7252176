import { frontMatterOf, titleOfFrontMatter, outlineOf } from './outline.js';
import { titleOf } from './title.js';

const BODY = '\nThe pier fee is 41.\n';

describe('front matter', () => {
  it.each([
    ['a title', '---\ntitle: Harbour rules\n---\n', 'Harbour rules'],
    ['a comment before it', '---\n# for the board\ntitle: Harbour rules\n---\n', 'Harbour rules'],
    ['a comment after it', '---\ntitle: Harbour rules # 2024\n---\n', 'Harbour rules'],
    ['a blank line in it', '---\ndate: 2024-01-01\n\ntitle: Harbour rules\n---\n', 'Harbour rules'],
    ['a folded title', '---\ntitle: >-\n  Harbour\n  rules\ndate: 2024-01-01\n---\n', 'Harbour rules'],
    ['a literal title', '---\ntitle: |\n  Harbour rules\n---\n', 'Harbour rules'],
    ['a title on the next line', '---\ntitle:\n  Harbour rules\n---\n', 'Harbour rules'],
    ['a quoted title', "---\ntitle: 'Harbour ''rules'''\n---\n", "Harbour 'rules'"],
    ['a title in double quotes', '---\nTitle: "Harbour \\"rules\\""\n---\n', 'Harbour "rules"'],
    ['a name in quotes', '---\n"title": Harbour rules\n---\n', 'Harbour rules'],
    ['dots at its end', '---\ntitle: Harbour rules\n...\n', 'Harbour rules'],
    ['Windows line ends', '---\r\ntitle: Harbour rules\r\n...\r\n', 'Harbour rules'],
    ['a list', '---\ntags:\n  - pier\n  - fee\ntitle: Harbour rules\n---\n', 'Harbour rules'],
    ['a colon in a title without quotes', '---\ntitle: Harbour: rules\n---\n', 'Harbour: rules'],
    [
      'TOML',
      '+++\n# for the board\ntitle = "Harbour rules" # 2024\ndate = 2024-01-01\n+++\n',
      'Harbour rules',
    ],
    [
      'TOML with a literal title',
      "+++\ntitle = 'Harbour rules'\n[extra]\ntitle = 'x'\n+++\n",
      'Harbour rules',
    ],
    ['TOML with a title of several lines', '+++\ntitle = """\nHarbour\nrules"""\n+++\n', 'Harbour rules'],
    ['no title', '---\ndate: 2024-01-01\n---\n', ''],
  ])('with %s is read', (_, source, title) => {
    const text = source + BODY;
    expect([frontMatterOf(text), titleOfFrontMatter(text)]).toEqual([source, title]);
    expect(outlineOf(text, 'text/markdown').headings).toEqual([]);
    const found = titleOf({
      own: undefined,
      head: text,
      contentType: 'text/markdown',
      hasPages: false,
      filename: 'a.md',
    });
    if (title !== '') expect(found).toBe(title);
  });

  it.each([
    ['two thematic breaks', '---\n\nThe lamp is lit.\n\n---\n'],
    ['a thematic break and a list', '---\n- lamp\n- oil\n---\n'],
    ['nothing between the lines', '---\n---\n'],
    ['a thematic break and a line like a field', '---\n\ntitle: Harbour rules\n\n---\n'],
    ['no end', '---\ntitle: Harbour rules\n'],
    ['broken TOML', '+++\nHarbour rules\n+++\n'],
    ['a line before it', 'x\n---\ntitle: Harbour rules\n---\n'],
  ])('is not %s', (_, source) => {
    expect(frontMatterOf(source + BODY)).toBe('');
  });
});

describe('HTML comments', () => {
  const headingsOf = (text: string): string[] =>
    outlineOf(text, 'text/markdown').headings.map((heading) => heading.text);

  it.each([
    ['of several lines', '# Guide\n\n<!--\n# Old\n-->\n\n## New\n', ['Guide', 'New']],
    ['with a blank line', '# Guide\n\n<!-- note\n\n# Old\n\n-->\n## New\n', ['Guide', 'New']],
    ['with an underlined heading', '# Guide\n\n<!--\nOld\n---\n-->\n', ['Guide']],
    ['of one line', '# Guide\n<!-- # Old -->\n## New\n', ['Guide', 'New']],
    ['with a heading on its first line', '<!-- # Old\n# Older -->\n# New\n', ['New']],
    ['one after the other', '<!--\n# One\n-->\n# Two\n<!--\n# Three\n-->\n# Four\n', ['Two', 'Four']],
    ['that never end', '# Guide\n\n<!--\n# New\n', ['Guide', 'New']],
    ['in a fence', '```\n<!--\n```\n# Guide\n\n-->\n', ['Guide']],
    ['with a fence', '<!--\n```\n-->\n# Guide\n', ['Guide']],
    ['in a sentence', 'Write <!-- to begin\n\n# Guide\n\nand --> to end.\n', ['Guide']],
  ])('%s have no headings', (_, text, headings) => {
    expect(headingsOf(text)).toEqual(headings);
  });
});
