import { chunkOf } from '../../../test/support/chunks.js';
import { answerWithoutMarkers } from '../../../test/support/answers-without-markers.js';
import { fc } from '../../../test/support/properties.js';
import { CitationWriter } from './citations.js';

const sources = [
  {
    number: 1,
    asImage: false,
    chunk: chunkOf({ filename: 'lamp.txt', content: 'The lamp is lit at dusk.' }),
  },
  {
    number: 2,
    asImage: false,
    chunk: chunkOf({ filename: 'boat.txt', content: 'The boat leaves at nine.' }),
  },
  {
    number: 3,
    asImage: false,
    chunk: chunkOf({ filename: 'log.pdf', pageNumber: 7, content: 'The horn sounds, see [4] and [5, 6].' }),
  },
  ...[4, 5, 6].map((number) => ({ number, asImage: false, chunk: chunkOf({ filename: `${number}.txt` }) })),
];

function written(deltas: readonly string[]) {
  const writer = new CitationWriter(sources);
  const text = deltas.map((delta) => writer.push(delta)).join('') + writer.end();
  return { text, cited: [...new Set(writer.citations.map(({ filename }) => filename))] };
}

/** Pieces of 1 to 5 UTF-16 code units. */
function pieces(text: string, sizes: readonly number[]): string[] {
  const cut: string[] = [];
  for (let at = 0, piece = 0; at < text.length; piece += 1) {
    const size = sizes[piece % sizes.length] ?? 1;
    cut.push(text.slice(at, at + size));
    at += size;
  }
  return cut;
}

describe('the text of an answer', () => {
  it.each([
    ['a fence with tildes', '~~~\nx = [1]\ny = [[2]]\n~~~\nDone.'],
    ['a fence in a list', '- Use\n  ```js\n  go([1], [2]);\n  // lit at dusk [1]\n  ```\n- Done.'],
    ['a fence that is cut off', 'Use:\n```python\n# lit at dusk [1]\nx = [[1]]'],
    ['a fence of four backticks', '````md\n```\nDusk [1]\n```\nDusk [2]\n````'],
    ['inline code', 'Write `lit at dusk [1]` or ``a ` [[2]]`` here.'],
    ['inline code over two lines', 'Write `lit at dusk\n[1] and more` here.'],
    ['inline triple backticks', '```at dusk [1]``` is code.'],
    ['an index', 'Take list[1], rows["a"][1] and f(x)[2].'],
    ['an assignment', 'Set x = [1] and y=[2] first.'],
    ['a call', 'Call print([1]) or max( [1] ).'],
    ['a value', 'hours: [1]\nports: [1, 2]'],
    ['JSON', '{"name": "lit at dusk [1]", "list": [[1], [2]], "more": [1]}'],
    ['JSON over lines', '{\n  "hours": [\n    [1],\n    [2]\n  ],\n  "text": "at dusk [1]"\n}'],
    ['JSON in prose', 'Send {"m": [[1]], "t": "dusk [2]"} there.'],
    ['an array of objects', '[{"a": [1]}, {"b": "x [2]"}]'],
    ['a dictionary of Python', "{'a': [1], 'b': [[2]]}"],
    ['a list of numbers', 'Sorted: [1, 2, 3]. Ports: [1]'],
    ['an interval with zero', 'It lies in [0, 1] always, or within [0-2].'],
    ['a range of years', 'The years [1914-1918] were hard.'],
    ['a matrix', 'The matrix [[1, 2], [2, 1]] and A = [[1], [2]] and B = [[1]].'],
    ['a formula in dollars', 'With $x_{[1]} + [2]$ and $$\ny [1]\n$$ it holds.'],
    ['a formula in LaTeX brackets', 'With \\(a [1]\\) and\n\\[\nb [2]\n\\]'],
    ['an element', 'Here x ∈ [1] holds.'],
    ['the address of a link', 'See [lamp](http://x.example/a.[1]) and [boat](b [[2]]).'],
    ['a bare address', 'See http://x.example/a.[1]/b.[2] there.'],
    ['a link on a number', 'See [1](http://x.example) and [[2]](http://y.example).'],
    ['a link by reference', 'See [lamp][1].\n\n[1]: http://x.example'],
    ['a footnote', 'Dusk[^1].\n\n[^1]: From the log.'],
    ['a list of references', 'References\n[1] Smith, The lamp [2]\n[2] Jones, The boat'],
    ['a numbered choice', '[1] light the lamp [2] row the boat'],
    ['a list of brackets', 'Choose: [1], [2], [3].'],
    ['a reference of the passages', 'The horn sounds, see [4] and [5, 6] or [5].'],
    ['unknown numbers', 'Lit at dusk [9] [99] and 【9】.'],
    ['a regular expression', 'Match v[1-2]+ or [1-2]* or ^[1]$.'],
    ['a test of the shell', 'if [[ -f lamp ]]; then [ 1 -eq 1 ]; fi'],
    ['a link of a wiki', 'See [[Lamp]] and [[Lamp|light]].'],
    ['tasks', '- [ ] light the lamp\n- [x] row the boat'],
    ['a caption', 'See [Table 1], [Figure 2], [Step 1] and [Chapter 2].'],
    ['a quoted marker', 'The marker "[1]" stands for a source.'],
    ['a heading in lenticular brackets', '【1】点灯\n【2】开船'],
    ['escaped brackets', 'Lit at dusk \\[1\\] there.'],
    ['generics', 'A Map<[1], [2]> and T|[1].'],
  ])('leaves %s unchanged', (_name, text) => {
    expect(written([text])).toEqual({ text, cited: [] });
    expect(written(Array.from(text))).toEqual({ text, cited: [] });
  });

  it.each([
    ['Lit [[1 - 2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1–2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [1–2].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1 bis 2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1 und 2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1, and 2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1 y 2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1 & 2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1; 2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Горит [[1 и 2]].', 'Горит [lamp.txt] [boat.txt].'],
    ['两者[[1和2]]。', '两者[lamp.txt] [boat.txt]。'],
    ['両方 [[1，2]]。', '両方 [lamp.txt] [boat.txt]。'],
    ['كلاهما [[١، ٢]].', 'كلاهما [lamp.txt] [boat.txt].'],
    ['كلاهما [[١ و٢]].', 'كلاهما [lamp.txt] [boat.txt].'],
    ['هر دو [[۱]] [[۲]].', 'هر دو [lamp.txt] [boat.txt].'],
    ['दोनों [[१, २]].', 'दोनों [lamp.txt] [boat.txt].'],
    ['全角 ［［１］］［［２］］。', '全角 [lamp.txt] [boat.txt]。'],
    ['両方【１】【２】。', '両方[lamp.txt] [boat.txt]。'],
    ['點燈〔1〕。', '點燈[lamp.txt]。'],
    ['Lit ⟦1⟧.', 'Lit [lamp.txt].'],
    ['Lit [[1], [2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1] [2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1][2]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1, S. 4]].', 'Lit [lamp.txt].'],
    ['Lit [[1, Seite 4; 2, Seite 5]].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [[1 (p. 4)]].', 'Lit [lamp.txt].'],
    ['Lit [[1, pp. 4-5]] [[2 page 1]].', 'Lit [lamp.txt] [boat.txt].'],
    ['点灯 [[1, 第4页]]。', '点灯 [lamp.txt]。'],
    ['Sounds [[3, page 7]].', 'Sounds [log.pdf, page 7].'],
    ['Sounds [[3, page 9]].', 'Sounds [log.pdf, page 7].'],
    ['Lit [1, p. 4].', 'Lit [lamp.txt].'],
    ['Lit [[Quelle 1]].', 'Lit [lamp.txt].'],
    ['Lit [Quelle 1].', 'Lit [lamp.txt].'],
    ['Lit [Quellen 1 und 2].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [Document 1] [Document 2].', 'Lit [lamp.txt] [boat.txt].'],
    ['[Source 1] says so.', '[lamp.txt] says so.'],
    ['Lit [source: 1, source: 2].', 'Lit [lamp.txt] [boat.txt].'],
    ['Lit [fuente 1].', 'Lit [lamp.txt].'],
    ['Горит [Источник 1].', 'Горит [lamp.txt].'],
    ['点灯[来源1]。', '点灯[lamp.txt]。'],
    ['点灯【来源 1、2】。', '点灯[lamp.txt] [boat.txt]。'],
    ['点灯【文档1】。', '点灯[lamp.txt]。'],
    ['점등 [출처 1].', '점등 [lamp.txt].'],
    ['مضاء [المصدر ١].', 'مضاء [lamp.txt].'],
    ['Lit【1:0†source】.', 'Lit[lamp.txt].'],
    ['Lit 【9:2†boat.txt】.', 'Lit [boat.txt].'],
    ['Lit 【0:2†source】.', 'Lit [boat.txt].'],
    ['Lit [1†L1-L4].', 'Lit [lamp.txt].'],
    ['灯在黄昏点亮[1]。', '灯在黄昏点亮[lamp.txt]。'],
    ['Lit at dusk.[1] Then', 'Lit at dusk.[lamp.txt] Then'],
    ['**Lit at dusk** [1].', '**Lit at dusk** [lamp.txt].'],
    ['Lit. Source: [1]', 'Lit. Source: [lamp.txt]'],
    ['It costs $5 [1] or US$ 6.', 'It costs $5 [lamp.txt] or US$ 6.'],
    ['Lit [1], [2] and [3].', 'Lit [lamp.txt], [boat.txt] and [log.pdf, page 7].'],
    ['A stray ` mark, lit [1].', 'A stray ` mark, lit [lamp.txt].'],
    ['Lit [1].\n```\nx = [[1]]\n```', 'Lit [lamp.txt].\n```\nx = [[1]]\n```'],
    ['See [a](b) lit [1].', 'See [a](b) lit [lamp.txt].'],
    ['{"a": 1} is lit [1].', '{"a": 1} is lit [lamp.txt].'],
  ])('cites in %p', (given, expected) => {
    expect(written([given]).text).toBe(expected);
    expect(written(Array.from(given)).text).toBe(expected);
    expect(written(pieces(given, [5, 2, 3])).text).toBe(expected);
  });

  it.each([
    ['The list [1] is short. Lit at dusk [[1]].', 'The list [1] is short. Lit at dusk [lamp.txt].'],
    ['Lit at dusk [[1]]. The list [1] is short.', 'Lit at dusk [lamp.txt]. The list [1] is short.'],
    ['Both 【1】 end [[2]].', 'Both 【1】 end [boat.txt].'],
    ['Lit [[1]], leaves [Document 2].', 'Lit [lamp.txt], leaves [Document 2].'],
  ])('has one form of markers: %p', (given, expected) => {
    expect(written([given]).text).toBe(expected);
    expect(written(Array.from(given)).text).toBe(expected);
  });

  it('waits for the form of the first single bracket only, and for a limited distance', () => {
    const writer = new CitationWriter(sources);
    expect(writer.push('Lit at dusk [1]. Then')).toBe('Lit at dusk');
    expect(writer.push(' it burns.'.repeat(60))).toContain('[lamp.txt]. Then it burns.');
    expect(writer.push(' Leaves [2]. ')).toBe(' Leaves [boat.txt].');
  });

  it('comes out byte for byte without markers, whole and in pieces of 1 to 5 characters', () => {
    const numRuns = Number(process.env['ANSWER_RUNS'] ?? 2_000);
    fc.assert(
      fc.property(
        answerWithoutMarkers(),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 7 }),
        (text, sizes) => {
          expect(written([text])).toEqual({ text, cited: [] });
          expect(written(pieces(text, sizes))).toEqual({ text, cited: [] });
        },
      ),
      { numRuns },
    );
  });
});
