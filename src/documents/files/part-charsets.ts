import type { IncomingMessage } from 'node:http';
import type { MultipartFile } from '@fastify/multipart';

/** Maximum size of the header of a form part, in bytes. */
const MAX_HEADER = 8_192;
const END_OF_HEADER = '\r\n\r\n';

/** `charset` of a Content-Type header (RFC 9110, section 8.3.2). */
const CHARSET = /^content-type:[^\r\n]*;[ \t]*charset[ \t]*=[ \t]*"?([\w.:-]{1,40})/im;
const FIELD = /^content-disposition:[^\r\n]*;[ \t]*name="([^"\r\n]*)"/im;

/**
 * Reads the charset that each part of a form declares. The form parser drops the charset of files, so this class scans
 * the bytes of the request in parallel.
 */
export class PartCharsets {
  private readonly found: { readonly field: string; readonly charset: string | null }[] = [];
  private readonly delimiter: string | undefined;
  private rest: Buffer = Buffer.alloc(0);

  constructor(request: IncomingMessage) {
    const boundary = /boundary="?([^";]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
    this.delimiter = boundary === undefined ? undefined : `--${boundary}`;
    if (this.delimiter === undefined) return;
    request.on('data', (chunk: Buffer) => {
      this.scan(chunk);
    });
  }

  /** Returns the charset of a part. Must be called for the parts in the order in which the form parser returns them. */
  of({ fieldname }: Pick<MultipartFile, 'fieldname'>): string | null {
    const at = this.found.findIndex(({ field }) => field === fieldname);
    const [part] = at === -1 ? [] : this.found.splice(0, at + 1).slice(-1);
    return part?.charset ?? null;
  }

  private scan(chunk: Buffer): void {
    if (this.delimiter === undefined) return;
    let unread = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    for (;;) {
      const end = unread.indexOf(END_OF_HEADER, 0, 'latin1');
      const part = end === -1 ? unread : unread.subarray(0, end);
      const start = part.lastIndexOf(this.delimiter, undefined, 'latin1');
      const isHeader = start !== -1 && part.length - start <= MAX_HEADER;
      if (end === -1) {
        this.rest = unread.subarray(
          isHeader ? start : Math.max(0, unread.length - this.delimiter.length + 1),
        );
        return;
      }
      unread = unread.subarray(end + END_OF_HEADER.length);
      if (!isHeader) continue;
      const header = part.toString('utf8', start);
      const field = FIELD.exec(header)?.[1];
      if (field !== undefined) this.found.push({ field, charset: CHARSET.exec(header)?.[1] ?? null });
    }
  }
}
