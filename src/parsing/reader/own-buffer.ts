import { types } from 'node:util';

/** Bytes alone in their buffer, so that it can be handed over without a copy; a part of a larger one is copied. */
export function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const alone = bytes.byteLength === buffer.byteLength && types.isArrayBuffer(buffer);
  return alone ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
