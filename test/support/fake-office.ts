import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program that replaces LibreOffice, converts every file to a PDF, and records its arguments. */
export class FakeOffice {
  readonly program: string;

  constructor(
    private readonly folder: string,
    pdf: Uint8Array,
  ) {
    this.program = join(folder, 'soffice');
    this.makes(pdf);
    this.install();
  }

  /** Arguments of all conversions, one a line. */
  get asked(): string {
    const path = join(this.folder, 'asked');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  get conversions(): number {
    return this.asked.split('\n').length - 1;
  }

  /** @param pdf what the next conversions make; empty: they fail */
  makes(pdf: Uint8Array): void {
    writeFileSync(join(this.folder, 'made.pdf'), pdf);
  }

  install(): void {
    const { folder } = this;
    writeFileSync(
      this.program,
      `#!/bin/sh\necho "$@" >> ${folder}/asked\nwhile [ "$1" != --outdir ]; do shift; done\nmkdir "$2"\ncp ${folder}/made.pdf "$2/document.pdf"\n`,
    );
    chmodSync(this.program, 0o755);
  }

  remove(): void {
    chmodSync(this.program, 0o644);
  }
}
