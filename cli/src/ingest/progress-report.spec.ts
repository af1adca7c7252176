import { PassThrough } from 'node:stream';
import { ProgressReport, timeLeft } from './progress-report.js';
import type { SourceFile } from './source-files.js';
import { until } from '../../../test/support/until.js';

const file = (sourcePath: string): SourceFile => ({ path: `/somewhere/${sourcePath}`, sourcePath });
const [boats, lamps] = [file('notes/boats.md'), file('notes/lamps.md')];

function reportOn(isTTY: boolean): { readonly report: ProgressReport; readonly written: () => string } {
  const stream = new PassThrough().setEncoding('utf8');
  let text = '';
  stream.on('data', (piece: string) => (text += piece));
  const report = new ProgressReport(3, 3, Object.assign(stream, { isTTY }) as never);
  return { report, written: () => text };
}

/** Starts and draws two files, moves one, and completes one before the other. */
async function follow(report: ProgressReport, drawn: () => boolean): Promise<void> {
  report.begun(boats);
  report.begun(lamps);
  await until('the progress is drawn', drawn);
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
    expect(text).toContain('0 of 3 files');
    expect(text).toMatch(/2 of 3 files, about \d+ s left/);
    expect(text.match(/notes\/boats\.md\n/g)).toHaveLength(1);
  });

  it('prints only the outcomes elsewhere', async () => {
    const { report, written } = reportOn(false);
    await follow(report, () => true);
    expect(written()).toBe('new       notes/boats.md\nfailed    notes/lamps.md: it is empty\n');
  });

  it('estimates the time left from the files that were sent', () => {
    expect(timeLeft(0, 300, 1)).toBe('');
    expect(timeLeft(10, 300, 2)).toBe(', about 58 s left');
    expect(timeLeft(10, 300, 60)).toBe(', about 29 min left');
    expect(timeLeft(300, 300, 60)).toBe('');
  });

  it('says after an interruption what is done and what is not', () => {
    const { report } = reportOn(false);
    report.begun(boats);
    report.begun(lamps);
    report.ended({ file: boats, outcome: 'new' });
    expect(report.interrupted().split('\n')).toEqual([
      'Interrupted: 1 of 3 files done (1 new, 0 updated, 0 unchanged, 0 failed), 1 in progress, 1 not begun',
      '  in progress: notes/lamps.md',
      'The service still processes the files that it has received. Run the same command again to send the others.',
    ]);
  });
});
