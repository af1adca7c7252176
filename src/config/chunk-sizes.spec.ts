import { budgetOf } from '#reader';
import { settingsWith } from '../../test/support/settings.js';
import { chunkBudget, usableSizes } from './combinations.js';

describe('chunk sizes of a document', () => {
  it('are limited by a local model, with an overlap of at most half', () => {
    const local = settingsWith({ EMBEDDING_MODEL: 'local' });
    expect(usableSizes({ size: 4096, overlap: 400 }, local)).toEqual({ size: 254, overlap: 127 });
    expect(usableSizes({ size: 100, overlap: 50 }, local)).toEqual({ size: 100, overlap: 50 });
  });

  it('keep contexts on or off as configured', () => {
    const usual = { size: 254, overlap: 54, context: 40 };
    expect(budgetOf({ size: 100, overlap: 10 }, usual)).toEqual({ size: 100, overlap: 10, context: 25 });
    expect(budgetOf({ size: 100, overlap: 10 }, { ...usual, context: 0 })).toMatchObject({ context: 0 });
    expect(budgetOf(undefined, usual)).toBe(usual);
    expect(chunkBudget(settingsWith({ EMBEDDING_MODEL: 'local' }))).toEqual(usual);
  });
});
