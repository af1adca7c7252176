import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { StartRefused } from '../../src/errors/index.js';
import { MAGIC, TotalsCount, type ExportHeader, type ExportTotals, type SectionContent } from './format.js';

/** Writes an export ({@link MAGIC}) to a stream, with backpressure. */
export class ExportWriter {
  private readonly total = createHash('sha256');
  private readonly count = new TotalsCount();
  private failure: Error | undefined;

  constructor(private readonly out: Writable) {
    out.on('error', (error) => {
      this.failure = error;
    });
  }

  async begin(header: ExportHeader): Promise<void> {
    await this.write(`${MAGIC}\n`);
    await this.writeLine(header);
  }

  /** @param bytes length of the payload @throws StartRefused if the payload has a different length */
  async section(
    content: SectionContent,
    bytes: number,
    payload: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): Promise<void> {
    const sum = createHash('sha256');
    await this.writeLine({ section: this.count.sections + 1, ...content, bytes }, sum);
    let written = 0;
    for await (const part of payload) {
      written += part.length;
      if (written > bytes) break;
      await this.write(part, sum);
    }
    if (written !== bytes) {
      const what = 'file' in content ? `The file ${content.file.key}` : `The table ${content.rows.table}`;
      throw new StartRefused(`${what} changed while it was exported: export again`);
    }
    await this.write('\n');
    await this.writeLine({ sha256: sum.digest('hex') });
    this.count.add(content, bytes);
  }

  get sections(): number {
    return this.count.sections;
  }

  /** Counts a file that a row names but the store does not have. */
  miss(): void {
    this.count.missingFiles += 1;
  }

  async end(): Promise<ExportTotals> {
    const { sections, rows, files, fileBytes, missingFiles } = this.count;
    const end = { sections, rows, files, fileBytes, missingFiles };
    await this.writeLine({ end });
    await this.writeLine({ sha256: this.total.copy().digest('hex') });
    return end;
  }

  private async writeLine(value: unknown, sum?: Hash): Promise<void> {
    await this.write(`${JSON.stringify(value)}\n`, sum);
  }

  private async write(bytes: string | Buffer, sum?: Hash): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.total.update(bytes);
    sum?.update(bytes);
    if (!this.out.write(bytes)) await once(this.out, 'drain');
  }
}
