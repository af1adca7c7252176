import { textualType } from './file-names.js';

describe('textualType', () => {
  it('looks for the beginning of a page behind comments', () => {
    const page = `<?xml version="1.0"?>\n<!-- a -- comment --><!---->\n<!doctype html><p>Text`;
    expect(textualType(page, {})).toBe('text/html');
  });

  it('looks at each of many comments once', () => {
    expect(textualType('<!---->'.repeat(500), {})).toBe('text/plain');
  });
});
