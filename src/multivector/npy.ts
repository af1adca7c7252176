import type { MultiVector } from './page-embedder.js';

const MAGIC = '\u0093NUMPY';

/** Bytes and reader of a number by its type in the header; little-endian. */
const READERS: Readonly<Record<string, { bytes: number; read: (view: DataView, at: number) => number }>> = {
  '<f2': { bytes: 2, read: (view, at) => halfOf(view.getUint16(at, true)) },
  '<f4': { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  '<f8': { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
};

/**
 * Reads a matrix of floating-point numbers, row by row, in NumPy's NPY format (NumPy Enhancement Proposal 1), versions 1
 * to 3.
 * @returns null for any other data
 */
export function readMatrix(file: Uint8Array): MultiVector | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 12 || Buffer.from(file.subarray(0, 6)).toString('latin1') !== MAGIC) return null;
  const isFirstVersion = view.getUint8(6) === 1;
  const headerAt = isFirstVersion ? 10 : 12;
  const dataAt = headerAt + (isFirstVersion ? view.getUint16(8, true) : view.getUint32(8, true));
  const header = Buffer.from(file.subarray(headerAt, dataAt)).toString('latin1');
  const reader = READERS[/'descr': *'([^']*)'/.exec(header)?.[1] ?? ''];
  const shape = /'shape': *\((\d+), *(\d+),?\)/.exec(header);
  if (reader === undefined || shape === null || !/'fortran_order': *False/.test(header)) return null;
  const [rows, dims] = [Number(shape[1]), Number(shape[2])];
  if (dataAt + rows * dims * reader.bytes > file.length) return null;
  const vectors = new Float32Array(rows * dims);
  for (let i = 0; i < vectors.length; i++) vectors[i] = reader.read(view, dataAt + i * reader.bytes);
  return { dims, vectors };
}

/** Converts the bits of an IEEE 754 half-precision number. */
function halfOf(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
