import { newDocumentId } from './source-store.js';

describe('the id of a new document', () => {
  it('is a UUID greater than earlier ones', () => {
    const ids = Array.from({ length: 1_000 }, newDocumentId);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(1_000);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
