import { speak } from '../language/translate.js';
import { ago, typeInWords } from './record.js';

beforeAll(() => speak('en'));

describe('the description of a document', () => {
  const NOW = Date.parse('2026-03-10T12:00:00Z');

  it.each([
    ['2026-03-10T11:59:30Z', 'just now'],
    ['2026-03-10T12:05:00Z', 'just now'],
    ['2026-03-10T11:59:00Z', '1 minute ago'],
    ['2026-03-10T10:00:00Z', '2 hours ago'],
    ['2026-03-09T11:00:00Z', 'yesterday'],
    ['2026-03-05T12:00:00Z', '5 days ago'],
  ])('has the time since a date: %s is %s', (date, words) => {
    expect(ago(date, NOW)).toBe(words);
  });

  it('has the date itself after a month, and nothing without a date', () => {
    expect(ago('2025-01-02T12:00:00Z', NOW)).toContain('2025');
    expect(ago(undefined, NOW)).toBe('');
  });

  it.each([
    ['application/pdf', 'PDF'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'Word'],
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'Excel'],
    ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'PowerPoint'],
    ['text/plain', 'Text'],
    ['text/markdown', 'Markdown'],
    ['message/rfc822', 'E-mail'],
    ['application/octet-stream', 'File'],
  ])('names the media type: %s is %s', (type, words) => {
    expect(typeInWords(type)).toBe(words);
  });
});
