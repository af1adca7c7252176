import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { ProgressReport } from './progress-report.js';
import type { SourceFile } from './source-files.js';

const file = (sourcePath: string): SourceFile => ({ path: `/somewhere/${sourcePath}`, sourcePath });
const [boats, lamps] = [file('notes/boats.md'), file('notes/lamps.md')];

function reportOn(isTTY: boolean): { readonly report: ProgressReport; readonly written: () => string } {
  const stream = new PassThrough().setEncoding('utf8');
  let text = '';
  stream.on('data', (piece: string) => (text += piece));
  const report = new ProgressReport(Object.assign(stream, { isTTY }) as never);
  return { report, written: () => text };
}

/** Starts and draws two files, moves one, and completes one before the other. */
async function follow(report: ProgressReport, drawn: () => boolean): Promise<void> {
  report.begun(boats);
  report.begun(lamps);
  while (!drawn()) await setImmediate();
  report.moved(lamps, { name: 'embedding', percentage: 40 });
  report.ended({ file: boats, outcome: 'new' });
  report.ended({ file: lamps, outcome: 'failed', reason: 'it is empty' });
  report.end();
}

describe('the progress of an ingestion', () => {
  it('redraws one line per file on a terminal, which ends with the outcome', async () => {
    const { report, written } = reportOn(true);
    await follow(report, () => written().includes('notes/lamps.md  sending'));
    const text = written();
    const places = [
      '0%  notes/boats.md  sending',
      '0%  notes/lamps.md  sending',
      'new       notes/boats.md\n',
      '40%  notes/lamps.md  embedding',
      'failed    notes/lamps.md: it is empty\n',
    ].map((line) => text.indexOf(line));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(text.match(/notes\/boats\.md\n/g)).toHaveLength(1);
  });

  it('prints only the outcomes elsewhere', async () => {
    const { report, written } = reportOn(false);
    await follow(report, () => true);
    expect(written()).toBe('new       notes/boats.md\nfailed    notes/lamps.md: it is empty\n');
  });
});
