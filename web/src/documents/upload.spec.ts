import { overallOf, timeLeft, type Upload } from './upload.js';
import { speak } from '../language/translate.js';

beforeAll(() => speak('en'));

const START = 1_000_000;

function upload(state: Upload['state'], more: Partial<Upload> = {}): Upload {
  const known = {
    name: 'a.pdf',
    folder: '',
    step: 'waiting' as const,
    documentId: null,
    problem: null,
    isNew: true,
  };
  return { key: 1, size: 950_000, percentage: 0, startedAt: START, ...known, state, ...more };
}

describe('the progress of uploads', () => {
  it('covers all files by size, with the time left', () => {
    const uploads = [upload('completed'), upload('waiting')];
    expect(overallOf(uploads, START + 60_000)).toEqual({ share: 0.5, left: 60_000 });
  });

  it('counts sending as a fifth of the work for a file', () => {
    expect(overallOf([upload('sending', { percentage: 50 })], START).share).toBeCloseTo(0.1);
    expect(overallOf([upload('processing', { percentage: 50 })], START).share).toBeCloseTo(0.6);
  });

  it('has no time left before it can be estimated, and leaves out earlier uploads', () => {
    const before = upload('completed', { startedAt: START - 900_000 });
    expect(overallOf([before, upload('waiting')], START + 60_000)).toEqual({ share: 0, left: null });
    expect(overallOf([upload('completed'), upload('waiting')], START + 1_000).left).toBeNull();
  });

  it.each([
    [20_000, 'less than a minute left'],
    [60_000, 'about 1 minute left'],
    [600_000, 'about 10 minutes left'],
    [7_200_000, 'about 2 hours left'],
  ])('says %d ms as %s', (ms, words) => {
    expect(timeLeft(ms)).toBe(words);
  });
});
