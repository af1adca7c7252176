import type { ScoredChunk } from '../chunks/chunk.js';
import { bestOfParts, questionParts } from './question-parts.js';

const LINE = '2026-11-23T08:14:55Z INFO job 8812 finished on the second worker, as it should be\n';

describe('the parts of a question', () => {
  it('are the question alone, up to 600 characters', () => {
    const question = 'How long? '.repeat(60);
    expect(questionParts(question)).toEqual([question]);
  });

  it('are a longer question and all of its text in pieces of some 200 characters', () => {
    const log = `${LINE.repeat(6)}ERROR the ledger is locked\n${LINE.repeat(6)}`;
    const [whole, ...parts] = questionParts(log);
    expect(whole).toBe(log);
    expect(parts.join(' ').split(/\s+/)).toEqual(log.trim().split(/\s+/));
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(200);
  });

  it.each([
    ['lines', LINE.repeat(400)],
    ['one word', 'a'.repeat(32_768)],
    ['white space', `a${' '.repeat(32_766)}b`],
    ['Chinese', '灯塔'.repeat(5_000)],
  ])('are few for the longest: %s', (_name, question) => {
    const parts = questionParts(question);
    expect(parts.length).toBeLessThanOrEqual(40);
    expect(parts.every((part) => part !== '')).toBe(true);
  });
});

describe('what the parts found', () => {
  const chunk = (
    documentId: string,
    chunkNumber: number,
    score: number,
    documentVersion = '1',
  ): ScoredChunk => ({ documentId, chunkNumber, score, documentVersion }) as ScoredChunk;

  it('is each chunk once, with its best score, best first', () => {
    const found = [
      [chunk('a', 0, 0.7), chunk('b', 0, 0.6)],
      [chunk('b', 0, 0.9), chunk('a', 1, 0.8), chunk('a', 0, 0.1)],
    ];
    expect(bestOfParts(found, 3)).toEqual([chunk('b', 0, 0.9), chunk('a', 1, 0.8), chunk('a', 0, 0.7)]);
    expect(bestOfParts(found, 1)).toEqual([chunk('b', 0, 0.9)]);
  });

  it('is of one version of a document, where a new one came in between', () => {
    const found = [
      [chunk('a', 0, 0.7, '1'), chunk('b', 0, 0.6, '2'), chunk('a', 1, 0.5, '1')],
      [chunk('a', 1, 0.9, '4'), chunk('a', 0, 0.4, '4')],
    ];
    expect(bestOfParts(found, 4)).toEqual([
      chunk('a', 1, 0.9, '4'),
      chunk('b', 0, 0.6, '2'),
      chunk('a', 0, 0.4, '4'),
    ]);
  });
});
