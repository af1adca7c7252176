import type { IncomingMessage } from 'node:http';
import type { MultipartFile } from '@fastify/multipart';

/** A header longer than this is not read. */
const MAX_HEADER = 8_192;
const END_OF_HEADER = '\r\n\r\n';

/** The parameter of a Content-Type header (RFC 9110, section 8.3.2). */
const CHARSET = /^content-type:[^\r\n]*;[ \t]*charset[ \t]*=[ \t]*"?([\w.:-]{1,40})/im;
const FIELD = /^content-disposition:[^\r\n]*;[ \t]*name="([^"\r\n]*)"/im;

/**
 * The charsets that the parts of a form declare, in the order of the parts. The parser of forms does not pass them on for
 * files, so they are read from the bytes beside it.
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

  /** Of the part that the parser gives next. */
  of({ fieldname }: Pick<MultipartFile, 'fieldname'>): string | null {
    const at = this.found.findIndex(({ field }) => field === fieldname);
    const [part] = at === -1 ? [] : this.found.splice(0, at + 1).slice(-1);
    return part?.charset ?? null;
  }

  private scan(chunk: Buffer): void {
    if (this.delimiter === undefined) return;
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let at = 0;
    for (;;) {
      const start = bytes.indexOf(this.delimiter, at, 'latin1');
      if (start === -1) {
        this.rest = bytes.subarray(Math.max(at, bytes.length - this.delimiter.length + 1));
        return;
      }
      const end = bytes.indexOf(END_OF_HEADER, start, 'latin1');
      if (end === -1 && bytes.length - start < MAX_HEADER) {
        this.rest = bytes.subarray(start);
        return;
      }
      at = start + this.delimiter.length;
      if (end === -1 || end - start > MAX_HEADER) continue;
      const header = bytes.toString('utf8', start, end);
      const field = FIELD.exec(header)?.[1];
      if (field !== undefined) this.found.push({ field, charset: CHARSET.exec(header)?.[1] ?? null });
    }
  }
}
