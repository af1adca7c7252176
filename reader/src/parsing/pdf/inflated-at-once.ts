import { inflateSync } from 'node:zlib';

/**
 * What pdf.js uses of `DecompressionStream`: a stream is written whole, then read. If it is damaged or has another format,
 * an error reaches pdf.js, which then decodes what it can.
 */
export class InflatedAtOnce {
  private bytes: Uint8Array = new Uint8Array();

  readonly readable = inflated(() => this.bytes);

  readonly writable = {
    getWriter: () => ({
      ready: Promise.resolve(),
      write: (bytes: Uint8Array): Promise<void> => {
        this.bytes = bytes;
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    }),
  };

  constructor(format: string) {
    if (format !== 'deflate') throw new TypeError(`Unknown format: ${format}`);
  }
}

async function* inflated(bytes: () => Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(inflateSync(bytes()));
}
