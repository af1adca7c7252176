import { parseQuestions } from './question-file.js';

const problemWith = (line: object | string): string | undefined =>
  parseQuestions(typeof line === 'string' ? line : JSON.stringify(line)).problems[0]?.message;

describe('a file of questions', () => {
  it('has one question per non-empty line', () => {
    const { questions, problems } = parseQuestions(
      [
        '\uFEFF{"question": "a?", "document": "a.pdf", "page": 3, "answer": "x"}\r',
        '',
        '{"id": "b", "question": "b?", "filter": {"x": 1}, "folder_name": "/f", "relevant": {"a": 2, "b": 0}}',
        '{"question": "c?", "quote": "so it is", "answer": ["y", "z"]}',
      ].join('\n'),
    );
    expect(problems).toEqual([]);
    expect(questions).toEqual([
      {
        line: 1,
        key: '["a?",{}]',
        text: 'a?',
        scope: {},
        expected: { documents: { 'a.pdf': 1 }, pages: [3], quote: null, answers: ['x'] },
      },
      {
        line: 3,
        key: 'b',
        text: 'b?',
        scope: { filters: { x: 1 }, folder_name: '/f' },
        expected: { documents: { a: 2 }, pages: [], quote: null, answers: [] },
      },
      {
        line: 4,
        key: '["c?",{}]',
        text: 'c?',
        scope: {},
        expected: { documents: {}, pages: [], quote: 'so it is', answers: ['y', 'z'] },
      },
    ]);
  });

  it.each([
    ['{"question"', /^not JSON: /],
    ['[]', /^must be object$/],
    [{ answer: 'x' }, /required property 'question'/],
    [{ question: ' ', answer: 'x' }, /^"question" must not be empty$/],
    [{ question: 'a?' }, /^nothing is expected/],
    [{ question: 'a?', relevant: { a: 0 } }, /^nothing is expected/],
    [{ question: 'a?', documnt: 'a' }, /^unknown member "documnt"$/],
    [{ question: 'a?', page: 3 }, /^"page" needs "document"$/],
    [{ question: 'a?', document: 'a', page: 0 }, /^"page" has the wrong type or is empty$/],
    [
      { question: 'a?', quote: 'x', relevant: ['a'] },
      /^"relevant" cannot be combined with "page" or "quote"$/,
    ],
    [{ question: 'a?', answer: [] }, /^"answer" has the wrong type or is empty$/],
    [{ question: 'a?', answer: '—' }, /^"—" contains no words$/],
    [{ question: 'a?', answer: 'x', filter: {}, filters: {} }, /^either "filter" or "filters"/],
    ['', /^the file contains no questions$/],
  ])('reports the error in %j', (line, message) => {
    expect(problemWith(line)).toMatch(message);
  });

  it('rejects a repeated question, unless scope or id differ', () => {
    const line = { question: 'a?', answer: 'x' };
    const other = [
      { ...line, folder_name: '/f' },
      { ...line, id: '1' },
    ];
    const text = [line, ...other, line].map((one) => JSON.stringify(one)).join('\n');
    expect(parseQuestions(text).problems).toEqual([
      { line: 4, message: 'the same question as in line 1: add an "id" that no other line has' },
    ]);
  });
});
