import { missingCase } from './missing-case.js';

describe('a switch without a case', () => {
  it('fails with the value', () => {
    expect(() => missingCase('jsonb' as never)).toThrow('No case for jsonb');
  });

  it('fails with the kind of an object, not with its content', () => {
    expect(() => missingCase({ kind: 'ends-with', text: 'private' } as never)).toThrow(
      /^No case for ends-with$/,
    );
  });
});
