import { pgmOf, turnedClockwise } from './turned-pixels.js';

describe('turnedClockwise', () => {
  const grey = { data: Uint8Array.from([1, 2, 3, 4, 5, 6]), width: 3, height: 2 };

  it.each([
    [1, [4, 1, 5, 2, 6, 3], 2],
    [2, [6, 5, 4, 3, 2, 1], 3],
    [3, [3, 6, 2, 5, 1, 4], 2],
  ])('turns a picture by %d quarters', (quarters, data, width) => {
    const turned = turnedClockwise(grey, quarters);
    expect([Array.from(turned.data), turned.width]).toEqual([data, width]);
    expect(Buffer.from(pgmOf(turned)).toString('latin1')).toContain(`P5\n${width} ${6 / width}\n255\n`);
  });
});
