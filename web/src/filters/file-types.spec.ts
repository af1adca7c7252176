import { FILE_TYPE_NAMES, fileTypeOf, withFileType } from './file-types.js';
import { compile, decompile, newCondition, newGroup, type FilterJson } from './filter-tree.js';

const jsonOf = (group: Parameters<typeof compile>[0]): FilterJson | null => compile(group).json;
const REPORTS = newCondition({ field: 'kind', value: 'report' });

describe('the kind of files in a filter', () => {
  it.each(FILE_TYPE_NAMES)('%s is read again from the JSON', (type) => {
    const json = jsonOf(withFileType(newGroup('all', [REPORTS]), type)) ?? {};
    const tree = decompile(json);
    expect(tree && fileTypeOf(tree)).toBe(type);
  });

  it('is the first condition, and one only', () => {
    const slides = withFileType(newGroup('all', [REPORTS]), 'slides');
    expect(jsonOf(withFileType(slides, 'pdf'))).toEqual({
      filename: { $regex: '(?i)\\.(pdf)$' },
      kind: 'report',
    });
  });

  it('is taken out again', () => {
    const pdf = withFileType(newGroup('all', [REPORTS]), 'pdf');
    expect(jsonOf(withFileType(pdf, null))).toEqual({ kind: 'report' });
    expect(fileTypeOf(withFileType(pdf, null))).toBeNull();
  });

  it('counts besides conditions of which one suffices', () => {
    const either = newGroup('any', [REPORTS, newCondition({ field: 'draft', value: 'true' })]);
    const pdf = withFileType(either, 'pdf');
    expect(jsonOf(pdf)).toEqual({
      $and: [{ filename: { $regex: '(?i)\\.(pdf)$' } }, { $or: [{ kind: 'report' }, { draft: true }] }],
    });
    expect(jsonOf(withFileType(pdf, null))).toEqual({ $or: [{ kind: 'report' }, { draft: true }] });
    expect(withFileType(either, null)).toBe(either);
  });

  it('is no other condition on names', () => {
    const other = newCondition({ field: 'filename', operator: '$regex', value: 'pdf' });
    expect(fileTypeOf(newGroup('all', [other]))).toBeNull();
    expect(fileTypeOf(newGroup('any', [other]))).toBeNull();
  });
});
