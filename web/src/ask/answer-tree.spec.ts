import escapeHtml from 'escape-html';
import { fc } from '../../../test/support/properties.js';
import { answerTree, type AnswerElement, type AnswerNode } from './answer-tree.js';
import type { Citation } from '../api/lectern.js';

/** A marker whose file name contains Markdown syntax. */
const MARKER = '[the *best* a_b|c `d.pdf, page 2]';

/** Returns the nodes of an answer with a marker for each `@` in the text. */
function nodesOf(text: string): AnswerNode[] {
  const [first = '', ...rest] = text.split('@');
  let answer = first;
  const citations = rest.map((part, number): Citation => {
    const start = answer.length;
    answer += MARKER + part;
    const place = { start, end: start + MARKER.length, text: MARKER };
    return { ...place, document_id: 'd', chunk_number: number, filename: 'd', page_number: 2, quote: null };
  });
  return answerTree(answer, citations);
}

/** Renders nodes as markup; a citation as its number in braces. */
function shown(nodes: readonly AnswerNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return escapeHtml(node);
      if ('citation' in node) return `{${node.citation.chunk_number}}`;
      if ('formula' in node) return node.isBlock ? `<math>${node.formula}</math>` : `<i>${node.formula}</i>`;
      const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${value}"`);
      return `<${node.tag}${attributes.join('')}>${shown(node.children)}</${node.tag}>`;
    })
    .join('');
}

const show = (text: string): string => shown(nodesOf(text));

/** Returns the text of nodes, with citations as their numbers in braces. */
function textOf(nodes: readonly AnswerNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      if ('formula' in node) return node.formula;
      return 'citation' in node ? `{${node.citation.chunk_number}}` : textOf(node.children);
    })
    .join(' ');
}

describe('the Markdown of an answer', () => {
  it.each([
    ['**Bold**, *leaning*, ~~gone~~', '<p><strong>Bold</strong>, <em>leaning</em>, <s>gone</s></p>'],
    ['# One\n### Three', '<h1>One</h1><h3>Three</h3>'],
    ['3. c\n4. d\n   - e', '<ol start="3"><li>c</li><li>d<ul><li>e</li></ul></li></ol>'],
    ['`a < b`', '<p><code>a &lt; b</code></p>'],
    ['```ts title="a"\na < b\n```', '<pre><code language="ts">a &lt; b\n</code></pre>'],
    ['```\na\n```', '<pre><code>a\n</code></pre>'],
    ['> said', '<blockquote><p>said</p></blockquote>'],
    ['one\ntwo', '<p>one<br></br>two</p>'],
    ['one<br>two<br/>three', '<p>one<br></br>two<br></br>three</p>'],
    ['&lt;b&gt; &amp; \\*', '<p>&lt;b&gt; &amp; *</p>'],
    ['    indented', '<p>indented</p>'],
    [
      '| a | b |\n| - | -: |\n| 1 | 2 |',
      '<table><thead><tr><th>a</th><th style="text-align:right">b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td style="text-align:right">2</td></tr></tbody></table>',
    ],
    ['See https://a.example/b.', '<p>See <a href="https://a.example/b">https://a.example/b</a>.</p>'],
    ['[here](http://a.example "title")', '<p><a href="http://a.example">here</a></p>'],
    ['See notes.md, a@example.com', '<p>See notes.md, a{0}example.com</p>'],
  ])('renders %j', (text, expected) => {
    expect(show(text)).toBe(expected);
  });
});

describe('citations', () => {
  it.each([
    ['a text', 'Two years @. Then @ @', '<p>Two years {0}. Then {1} {2}</p>'],
    ['emphasis', '**Two years.**@ *and @*', '<p><strong>Two years.</strong>{0} <em>and {1}</em></p>'],
    ['items of lists', '- one @\n  1. two @', '<ul><li>one {0}<ol><li>two {1}</li></ol></li></ul>'],
    ['cells', '|a @|b|\n|-|-|\n|c @|d|', cells('a {0}', 'b', 'c {1}', 'd')],
    ['text after the last cell of a table row', '|a|b|\n|-|-|\n|c|d| @ @', cells('a', 'b', 'c', 'd {0} {1}')],
    ['headings', '# Two @', '<h1>Two {0}</h1>'],
    ['code', '`two @`', '<p><code>two {0}</code></p>'],
    ['blocks of code', '```\ntwo @\n```', '<pre><code>two {0}\n</code></pre>'],
    ['HTML', '<b title="@">', '<p>&lt;b title=&quot;{0}&quot;&gt;</p>'],
    [
      'link text, which is then not rendered as a link',
      '[**two @**](http://a.example)',
      '<p><strong>two {0}</strong></p>',
    ],
    ['the end, where their place is not shown', '``` @\na\n```', '<pre><code>a\n</code></pre><p>{0}</p>'],
  ])('appear in %s', (_, text, expected) => {
    expect(show(text)).toBe(expected);
  });

  it('both appear when two chunks are cited at the same position', () => {
    const at = (chunk: number): Citation =>
      ({ start: 2, end: 5, chunk_number: chunk }) as unknown as Citation;
    expect(shown(answerTree('a [d] b', [at(0), at(1)]))).toBe('<p>a {0}{1} b</p>');
  });

  it('cannot be forged by the text', () => {
    expect(show('\uFFFC0\uFFFC @')).not.toMatch(/\{0\}.*\{0\}/);
  });

  it('appear once each, whatever Markdown surrounds them', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...FRAGMENTS, '@', '@', '@'), { maxLength: 40 }), (fragments) => {
        const text = fragments.join('');
        const found = [...textOf(nodesOf(text)).matchAll(/\{(\d+)\}/g)].map(([, number]) => Number(number));
        const expected = [...Array(text.split('@').length - 1).keys()];
        expect(found.toSorted((a, b) => a - b)).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('formulas', () => {
  it.each([
    ['so \\(a^2\\) is', '<p>so <i>a^2</i> is</p>'],
    ['so $a_1*b*$ is', '<p>so <i>a_1*b*</i> is</p>'],
    ['as $$x$$ and \\[y\\]', '<p>as <math>x</math> and <math>y</math></p>'],
    ['Then:\n\\[\n- x\n= 1\n\\]\nHence', '<p>Then:</p><math>\n- x\n= 1\n</math><p>Hence</p>'],
    ['$$\n\\frac{1}{2}\n$$', '<math>\n\\frac{1}{2}\n</math>'],
    ['- $x$\n- y', '<ul><li><i>x</i></li><li>y</li></ul>'],
    ['$x$@', '<p><i>x</i>{0}</p>'],
  ])('reads those of %j', (text, expected) => {
    expect(show(text)).toBe(expected);
  });

  it.each([
    'It costs $5 to $10, or $3-$4.',
    'US$5 and CA$6',
    'a $ b $ c',
    'unfinished \\( a',
    '`$x$` \\\\(a\\\\)',
    '$@$',
  ])('leaves the dollars of %j', (text) => {
    expect(show(text)).not.toMatch(/<(?:i|math)>/);
  });
});

describe('hostile Markdown', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '<div onclick="alert(1)">\n\n<style>*{}</style>',
  ])('shows the HTML of %j as text', (text) => {
    const nodes = answerTree(text, []);
    expect(elementsOf(nodes).filter(({ tag }) => tag !== 'p')).toEqual([]);
    expect(textOf(nodes).replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vbscript:a)',
    '[x](file:///etc/passwd)',
    '[x](//a.example)',
    '[x](/documents)',
    '[x](#documents)',
    '[x]()',
    '[x](<>)',
    '<javascript:alert(1)>',
    '<mailto:a.b>',
    'ftp://a.example',
    '[x]\n\n[x]: javascript:alert(1)',
  ])('creates no link for %j', (text) => {
    expect(shown(nodesOf(text))).not.toContain('<a');
  });

  it('shows the description of an image, and loads nothing', () => {
    const linked = '[![the *@* logo](https://a.example/?q=secret)](https://b.example)';
    expect(show('![logo](https://a.example/?q=secret)')).toBe('<p>logo</p>');
    expect(show(linked)).toBe('<p>the *{0}* logo</p>');
  });

  it('creates these elements only, and links to the web only', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }), (fragments) => {
        const tags = elementsOf(answerTree(fragments.join(''), []));
        for (const { tag, attributes } of tags) {
          expect(TAGS).toContain(tag);
          for (const [name, value] of Object.entries(attributes)) {
            expect(`${tag} ${name} ${value}`).toMatch(
              /^(a href https?:|code language [\w+#-]+$|ol start \d+$|t[hd] style text-align:(left|center|right)$)/i,
            );
          }
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(['>', '- ', '*', '[', '_*', '`', '![', '<a ', '|a\n|-\n'])(
    'is rendered completely with ten thousand repetitions of %j',
    (part) => {
      expect(depthOf(answerTree(`${part.repeat(10_000)}a`, []))).toBeLessThan(150);
    },
  );
});

describe('incomplete Markdown', () => {
  it.each([
    ['Two **ye', '<p>Two **ye</p>'],
    ['Items:\n-', '<p>Items:<br></br>-</p>'],
    ['Items:\n\n- **on', '<p>Items:</p><ul><li>**on</li></ul>'],
    ['```ts\nconst a', '<pre><code language="ts">const a</code></pre>'],
    ['| a | b |\n|--', '<p>| a | b |<br></br>|--</p>'],
    ['| a | b |\n|-|-|\n| 1', cells('a', 'b', '1', '')],
    ['See [here](https://a.ex', '<p>See [here](<a href="https://a.ex">https://a.ex</a></p>'],
    ['', ''],
  ])('renders %j', (text, expected) => {
    expect(show(text)).toBe(expected);
  });

  it('shows every received word at every moment', () => {
    const answer =
      '# Care\n\nKeep it **dry and *warm***:\n\n1. Clean `lens` weekly\n   - gently\n2. ~~Oil~~ nothing\n\n' +
      '| part | months |\n|------|-------:|\n| lamp | 24 |\n\n> quoted\n\n```sh\nrun it\n```\nDone.';
    const words = (text: string): string[] => text.match(/[a-zA-Z]+|\d{2,}/g) ?? [];
    for (let length = 0; length <= answer.length; length += 1) {
      const written = answer.slice(0, length).replace(/```\w*/, '```');
      expect(words(textOf(answerTree(answer.slice(0, length), [])))).toEqual(words(written));
    }
  });
});

const TAGS = [
  ...[
    'a',
    'blockquote',
    'br',
    'code',
    'em',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'hr',
    'li',
    'ol',
    'p',
    'pre',
  ],
  ...['s', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
];

const FRAGMENTS = [
  ...[
    'word',
    ' ',
    '  ',
    '    ',
    '\n',
    '\n\n',
    '\r\n',
    '\t',
    '.',
    '0',
    '\uFFFC',
    '\0',
    '🚀',
    '\\',
    '&amp;',
    '&#58;',
  ],
  ...['*', '**', '_', '~~', '`', '``', '```', '~~~', '#', '##', '>', '- ', '1. ', '---', '===', '!', '^'],
  ...[
    '[',
    ']',
    '(',
    ')',
    '](',
    ']: ',
    '[^1]: ',
    '<',
    '>',
    '<b>',
    '</b>',
    '<a href="',
    '"',
    "'",
    '<!--',
    '-->',
  ],
  ...[
    '|',
    '|-|-|\n',
    '| a | b |\n',
    '|\n',
    ':-',
    'javascript:',
    'https://a.example/',
    'www.a.example',
    'data:',
  ],
];

function cells(...[a = '', b = '', c = '', d = '']: readonly string[]): string {
  const row = (tag: string, one: string, other: string): string =>
    `<tr><${tag}>${one}</${tag}><${tag}>${other}</${tag}></tr>`;
  return `<table><thead>${row('th', a, b)}</thead><tbody>${row('td', c, d)}</tbody></table>`;
}

function elementsOf(nodes: readonly AnswerNode[]): AnswerElement[] {
  return nodes.flatMap((node) =>
    typeof node === 'object' && 'tag' in node ? [node, ...elementsOf(node.children)] : [],
  );
}

function depthOf(nodes: readonly AnswerNode[]): number {
  return Math.max(
    0,
    ...nodes.map((node) => (typeof node === 'object' && 'tag' in node ? 1 + depthOf(node.children) : 0)),
  );
}
