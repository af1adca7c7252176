/** Counts of exported or restored rows and files. */
interface Totals {
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  readonly fileBytes: number;
  readonly missingFiles: number;
}

/** Minimum interval between two progress lines on a terminal. */
const EVERY_MS = 200;

/** Prints the progress of an export or a restore to stderr, because the export itself may go to stdout. */
export function moveProgress(verb: string): {
  readonly report: (section: number, subject: string) => void;
  readonly end: (sentence: string) => void;
} {
  let last = 0;
  const isTerminal = process.stderr.isTTY;
  return {
    report(section, subject) {
      const now = performance.now();
      if (!isTerminal || now - last < EVERY_MS) return;
      last = now;
      process.stderr.write(`\r\u001b[K${verb} ${section} sections, ${subject}`);
    },
    end(sentence) {
      process.stderr.write(`${isTerminal ? '\r\u001b[K' : ''}${sentence}\n`);
    },
  };
}

/** Sentence with the totals. */
export function moved(verb: string, { rows, files, fileBytes, missingFiles }: Totals): string {
  const megabytes = (fileBytes / 1_000_000).toFixed(1);
  const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const missing =
    missingFiles === 0 ? '' : `; ${missingFiles} files are missing in the store of the exported installation`;
  return `${verb} ${rows['documents'] ?? 0} documents, ${rows['chunks'] ?? 0} chunks, ${all} rows in all, and ${files} files (${megabytes} MB)${missing}.`;
}
