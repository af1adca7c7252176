import { project } from './projection.js';

const record = { external_id: '1', metadata: { a: 1, b: { c: 2, d: 3 } }, list: [1, 2] };

describe('projection', () => {
  it('keeps the selected fields at their paths', () => {
    expect(project(record, ['external_id', 'metadata.b.c', 'metadata.a'])).toEqual({
      external_id: '1',
      metadata: { a: 1, b: { c: 2 } },
    });
  });

  it('ignores unknown paths', () => {
    expect(project(record, ['nothing', 'metadata.a.deeper', 'list.0'])).toEqual({});
  });

  it('treats __proto__ as an ordinary key', () => {
    const value = JSON.parse('{"__proto__": {"x": 1}}') as object;
    const projected = project(value, ['__proto__.x']);
    expect(Object.getPrototypeOf(projected)).toBe(Object.prototype);
    expect(JSON.stringify(projected)).toBe('{"__proto__":{"x":1}}');
  });
});
