import { textualType } from './file-names.js';

describe('textualType', () => {
  it('finds the start of a page after comments', () => {
    const page = `<?xml version="1.0"?>\n<!-- a -- comment --><!---->\n<!doctype html><p>Text`;
    expect(textualType(page, {})).toBe('text/html');
  });

  it('scans each of many comments once', () => {
    expect(textualType('<!---->'.repeat(500), {})).toBe('text/plain');
  });
});
