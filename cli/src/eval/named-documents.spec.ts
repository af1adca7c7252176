import { namesIn, resolveNames } from './named-documents.js';
import { parseQuestions } from './question-file.js';

const DOCUMENTS = [
  { id: '1', filename: 'a.pdf', sourcePath: null, pageCount: 0 },
  { id: '2', filename: 'readme.md', sourcePath: 'x/readme.md', pageCount: 0 },
  { id: '3', filename: 'readme.md', sourcePath: 'y/readme.md', pageCount: 0 },
  { id: 'readme', filename: '1', sourcePath: null, pageCount: 0 },
];

const questions = (...documents: string[]) =>
  parseQuestions(documents.map((document) => JSON.stringify({ question: document, document })).join('\n'))
    .questions;

describe('the documents of questions', () => {
  it('are found by file name, source path and id; an id has precedence', () => {
    const { ids, problems } = resolveNames(questions('a.pdf', 'y/readme.md', '2', '1'), DOCUMENTS);
    expect(problems).toEqual([]);
    expect(Object.fromEntries(ids)).toEqual({ 'a.pdf': '1', 'y/readme.md': '3', '2': '2', '1': '1' });
  });

  it('must exist and be unambiguous', () => {
    expect(resolveNames(questions('a.pdf', 'b.pdf', 'readme.md'), DOCUMENTS).problems).toEqual([
      { line: 2, message: 'document not found: "b.pdf"' },
      { line: 3, message: '2 documents are named "readme.md": use an id' },
    ]);
  });

  it('must have the expected pages', () => {
    const documents = [
      { id: '1', filename: 'a.pdf', sourcePath: null, pageCount: 3 },
      { id: '2', filename: 'a.md', sourcePath: null, pageCount: 0 },
      { id: '3', filename: 'new.pdf', sourcePath: null, pageCount: null },
    ];
    const lines = [
      { question: 'a', document: 'a.pdf', page: 3 },
      { question: 'b', document: 'a.pdf', page: [2, 4, 99] },
      { question: 'c', document: 'a.md', page: 1 },
      { question: 'd', document: 'new.pdf', page: 9 },
    ];
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    expect(resolveNames(parseQuestions(text).questions, documents).problems).toEqual([
      { line: 2, message: '"a.pdf" has no page 4, 99; its last page is 3' },
      { line: 3, message: '"a.md" has no pages' },
    ]);
  });

  it('are requested once each', () => {
    const both = parseQuestions(
      '{"question":"a","document":"x"}\n{"question":"b","relevant":["y","x"]}',
    ).questions;
    expect(namesIn(both)).toEqual(['x', 'y']);
  });
});
