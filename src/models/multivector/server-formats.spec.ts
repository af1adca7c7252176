import { readMatrix } from './server-formats.js';

/** Builds an NPY file: NumPy pads the header to 64 bytes with spaces and a final line feed. */
function npy(descr: string, shape: string, data: ArrayBufferView, version = 1, order = 'False'): Uint8Array {
  const text = `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }`;
  const prefix = version === 1 ? 10 : 12;
  const header = text.padEnd(Math.ceil((prefix + text.length + 1) / 64) * 64 - prefix - 1) + '\n';
  const file = Buffer.alloc(prefix + header.length + data.byteLength);
  file.write('\u0093NUMPY', 'latin1');
  file[6] = version;
  if (version === 1) file.writeUInt16LE(header.length, 8);
  else file.writeUInt32LE(header.length, 8);
  file.write(header, prefix, 'latin1');
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).copy(file, prefix + header.length);
  return file;
}

describe('readMatrix', () => {
  const rows = Float32Array.of(1, -2, 0.5, 0, 65_504, 2 ** -24);

  it.each([
    ['single precision', npy('<f4', '(2, 3)', rows)],
    ['double precision', npy('<f8', '(2, 3)', Float64Array.from(rows))],
    ['half precision', npy('<f2', '(2, 3)', Uint16Array.of(0x3c00, 0xc000, 0x3800, 0x0000, 0x7bff, 0x0001))],
    ['format version 2', npy('<f4', '(2, 3)', rows, 2)],
  ])('reads %s', (_, file) => {
    expect(readMatrix(file)).toEqual({ dims: 3, vectors: rows });
  });

  it('reads a view into a larger buffer', () => {
    const file = npy('<f4', '(2, 3)', rows);
    const larger = new Uint8Array(file.length + 7);
    larger.set(file, 3);
    expect(readMatrix(larger.subarray(3, 3 + file.length))).toEqual({ dims: 3, vectors: rows });
  });

  it('keeps NaN and infinity for the caller to reject', () => {
    const file = npy('<f2', '(1, 3)', Uint16Array.of(0x7e00, 0x7c00, 0xfc00));
    expect(readMatrix(file)?.vectors).toEqual(Float32Array.of(NaN, Infinity, -Infinity));
  });

  it.each([
    ['integers', npy('<i4', '(2, 3)', Int32Array.of(1, 2, 3, 4, 5, 6))],
    ['big-endian numbers', npy('>f4', '(2, 3)', rows)],
    ['columns', npy('<f4', '(2, 3)', rows, 1, 'True')],
    ['one dimension', npy('<f4', '(6,)', rows)],
    ['fewer numbers than the shape requires', npy('<f4', '(3, 3)', rows)],
    ['text', Buffer.from('not an array of numbers')],
    ['nothing', new Uint8Array()],
  ])('rejects %s', (_, file) => {
    expect(readMatrix(file)).toBeNull();
  });
});
