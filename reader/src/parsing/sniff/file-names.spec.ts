import { textualType } from './file-names.js';

describe('textualType', () => {
  it('finds the start of a page after comments', () => {
    const page = `<?xml version="1.0"?>\n<!-- a -- comment --><!---->\n<!doctype html><p>Text`;
    expect(textualType(page, {})).toBe('text/html');
  });

  it('follows the name, then the declared type, for a text that shows no format', () => {
    expect(textualType('a;b', { filename: 'a.csv', declaredType: 'text/markdown' })).toBe('text/csv');
    expect(textualType('a;b', { declaredType: 'Text/CSV; charset=utf-8' })).toBe('text/csv');
    expect(textualType('a;b', { declaredType: 'text/x-unknown' })).toBe('text/plain');
    expect(textualType('a;b', { declaredType: 'application/pdf' })).toBe('text/plain');
  });

  it('scans each of many comments once', () => {
    expect(textualType('<!---->'.repeat(500), {})).toBe('text/plain');
  });
});
