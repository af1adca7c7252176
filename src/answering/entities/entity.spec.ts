import { resolved, type EntityGroup, type ExtractedEntity } from './entity.js';

const entities = (length: number): ExtractedEntity[] =>
  Array.from({ length }, (_, index) => ({ label: `Name ${index}`, type: 'ENTITY', properties: {} }));

/** Returns groups that count how often their names are read. */
function countingGroups(length: number): { readonly groups: EntityGroup[]; readonly reads: () => number } {
  let reads = 0;
  const groups = Array.from({ length }, (_, index) => ({
    canonical: `Canonical ${index}`,
    get variants() {
      reads += 1;
      return [`name ${index}`];
    },
  }));
  return { groups, reads: () => reads };
}

describe('entities and their groups', () => {
  it('are merged regardless of case and diacritics', () => {
    const zurich: ExtractedEntity = { label: 'Zürich', type: 'PLACE', properties: {} };
    const [entity] = resolved([zurich], [{ canonical: 'City of Zurich', variants: ['ZURICH'] }]);
    expect(entity).toMatchObject({ label: 'Zürich', canonical: 'City of Zurich', variants: ['ZURICH'] });
  });

  it('take linear time', () => {
    const readsOf = (size: number): number => {
      const { groups, reads } = countingGroups(size);
      resolved(entities(size), groups);
      return reads();
    };
    expect(readsOf(200)).toBeLessThanOrEqual(2 * readsOf(100));
  });
});
