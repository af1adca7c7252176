import { Invalid } from '../errors/index.js';
import { parseQueryImage } from './query-image.js';

const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const loc = ['body', 'query_image'];

/** A PNG header. The parser reads nothing else. */
function png(width: number, height: number, padding = 0): string {
  const bytes = Buffer.alloc(33 + padding);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).copy(bytes);
  bytes.write('IHDR', 12);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString('base64');
}

function refusalOf(value: string): string {
  try {
    parseQueryImage(value, loc);
  } catch (error) {
    if (error instanceof Invalid)
      return error.items.map((item) => `${item.loc.join('.')} ${item.msg}`).join();
    throw error;
  }
  return 'taken';
}

describe('parseQueryImage', () => {
  it('accepts raw base64, wrapped base64 and data URIs, and detects the media type from the bytes', () => {
    const expected = `data:image/gif;base64,${GIF}`;
    expect(parseQueryImage(GIF, loc)).toBe(expected);
    expect(parseQueryImage(`${GIF.slice(0, 20)}\r\n${GIF.slice(20)}`, loc)).toBe(expected);
    expect(parseQueryImage(`data:image/png;base64,${GIF}`, loc)).toBe(expected);
  });

  it('accepts at most 50 megapixels', () => {
    expect(refusalOf(png(10_000, 5_000))).toBe('taken');
    expect(refusalOf(png(10_000, 5_001))).toContain('more than 50 megapixels');
  });

  it('accepts at most 10 MiB', () => {
    const limit = 10 * 1_024 * 1_024;
    expect(refusalOf(png(1, 1, limit - 33))).toBe('taken');
    expect(refusalOf(png(1, 1, limit - 32))).toContain('larger than 10 MiB');
  });

  it('reads no bytes beyond the image in the buffer pool', () => {
    for (let time = 0; time < 1_000; time += 1) {
      Buffer.from(Buffer.alloc(40, 1)); // fills the pool of short buffers
      expect(refusalOf(GIF.slice(0, 8))).not.toBe('taken');
    }
  });

  it.each([
    ['nothing', ''],
    ['a data URI that is not base64', 'data:image/png,abc'],
    ['an empty data URI', 'data:'],
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>').toString('base64'),
    ],
    ['a truncated header', GIF.slice(0, 8)],
    ['an image without an area', png(0, 5)],
    ['URL-safe base64', 'R0lG-_8h'],
    ['base64 with data after its padding', `${GIF}==${GIF}`],
    ['base64 with too much padding', `${GIF}===`],
  ])('rejects %s', (_what, value) => {
    expect(refusalOf(value)).toMatch(/^body\.query_image Value error, /);
  });
});
