import { namesIn, resolveNames } from './named-documents.js';
import { parseQuestions } from './question-file.js';

const DOCUMENTS = [
  { id: '1', filename: 'a.pdf', sourcePath: null },
  { id: '2', filename: 'readme.md', sourcePath: 'x/readme.md' },
  { id: '3', filename: 'readme.md', sourcePath: 'y/readme.md' },
  { id: 'readme', filename: '1', sourcePath: null },
];

const questions = (...documents: string[]) =>
  parseQuestions(documents.map((document) => JSON.stringify({ question: document, document })).join('\n'))
    .questions;

describe('the documents that questions name', () => {
  it('are found by file name, source path and id, the id first', () => {
    const { ids, problems } = resolveNames(questions('a.pdf', 'y/readme.md', '2', '1'), DOCUMENTS);
    expect(problems).toEqual([]);
    expect(Object.fromEntries(ids)).toEqual({ 'a.pdf': '1', 'y/readme.md': '3', '2': '2', '1': '1' });
  });

  it('have to be there, and be one', () => {
    expect(resolveNames(questions('a.pdf', 'b.pdf', 'readme.md'), DOCUMENTS).problems).toEqual([
      { line: 2, message: 'no such document: "b.pdf"' },
      { line: 3, message: '2 documents are called "readme.md": give an id' },
    ]);
  });

  it('are asked for once each', () => {
    const both = parseQuestions(
      '{"question":"a","document":"x"}\n{"question":"b","relevant":["y","x"]}',
    ).questions;
    expect(namesIn(both)).toEqual(['x', 'y']);
  });
});
