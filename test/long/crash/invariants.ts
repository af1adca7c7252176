import { readSettings } from '../../../src/config/read-settings.js';
import { openDatabase } from '../../../src/database/open-database.js';
import { ServiceProcess } from '../../support/process.js';

interface Report {
  readonly checks: readonly {
    readonly name: string;
    readonly count: number;
    readonly examples: readonly string[];
    readonly failure: string | null;
  }[];
}

/** Statements that must return no row: they find work that is not done, which `lectern doctor` accepts. */
const UNFINISHED: Readonly<Record<string, string>> = {
  'a document that is still processing': `
    select external_id from documents where status = 'processing' or progress is not null`,
  'a job that waits or runs': `select document_id, state, last_error from ingestion_jobs`,
  'two images of one page': `
    select document_id, page_number from pages group by app_id, document_id, page_number having count(*) > 1`,
};

/**
 * Describes what `lectern doctor --deep` finds in the data of a service that has stopped, and unfinished work; empty if
 * there is none.
 * @param environment of the service: its DATA_DIR and DATABASE_URL.
 */
export async function findOrphans(environment: Readonly<Record<string, string>>): Promise<string[]> {
  return [...(await unfinished(environment)), ...(await damages(environment))];
}

async function unfinished(environment: Readonly<Record<string, string>>): Promise<string[]> {
  const settings = readSettings(environment);
  const dataSource = await openDatabase({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 });
  try {
    const found: string[] = [];
    for (const [what, statement] of Object.entries(UNFINISHED)) {
      const rows = await dataSource.query<unknown[]>(`${statement} limit 3`);
      for (const row of rows) found.push(`${what}: ${JSON.stringify(row)}`);
    }
    return found;
  } finally {
    await dataSource.destroy();
  }
}

async function damages(environment: Readonly<Record<string, string>>): Promise<string[]> {
  const args = ['doctor', '--deep', '--json'];
  const { output } = await ServiceProcess.spawn(environment, 'dist/cli/lectern.js', args).end();
  const start = output.indexOf('{');
  if (start === -1) return [output];
  const { checks } = JSON.parse(output.slice(start)) as Report;
  return checks
    .filter(({ count, failure }) => count > 0 || failure !== null)
    .map(({ name, count, examples, failure }) => `${name}: ${failure ?? `${count}, ${examples.join(', ')}`}`);
}
