import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs once before all specs: makes the folder of the run, whose path all workers inherit. */
export default function begin() {
  process.env.LECTERN_TEST_RUN = mkdtempSync(join(tmpdir(), 'lectern-run-'));
}
