import { isMultipleOf } from './keywords.js';

describe('isMultipleOf', () => {
  it.each([
    ...([
      [19.99, 0.01],
      [0.3, 0.1],
      [4.35, 0.01],
      [-0.7, 0.1],
      [123456789.12, 0.01],
      [1e300, 1e-300],
    ] as const),
    ...([
      [0, 0.1],
      [9, 3],
      [1e21, 7e20 / 7],
      [1.5e-7, 5e-8],
      [9007199254740991, 1],
    ] as const),
  ])('accepts %d as a multiple of %d', (value, factor) => {
    expect(isMultipleOf(value, factor)).toBe(true);
  });

  it.each([
    ...([
      [19.995, 0.01],
      [0.35, 0.1],
      [10, 3],
      [1e-300, 1e300],
      [123456789.123, 0.01],
    ] as const),
    ...([
      [Infinity, 1],
      [1.5e-7, 4e-8],
    ] as const),
  ])('rejects %d as a multiple of %d', (value, factor) => {
    expect(isMultipleOf(value, factor)).toBe(false);
  });
});
