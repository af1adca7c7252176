import { readSettings } from '../../../src/config/read-settings.js';
import { connectDatabase } from '../../../src/database/open-database.js';
import { Documents } from '../../support/documents.js';
import { CONTENTS, KEPT_STATES, loadState } from '../../support/kept-state.js';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { onServer } from '../../support/server-database.js';
import { Service } from '../../support/service.js';

const SENTENCE =
  'The database has the schema of an earlier version of Lectern: back it up and run "lectern migrate" first';

/** Runs a command. @returns exit code and output, separated by a colon */
async function ran(environment: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const { code, output } = await ServiceProcess.spawn(environment, 'dist/cli/lectern.js', args).end();
  return `${String(code)}: ${output}`;
}

describe.each(KEPT_STATES)('a service on a database of %s', (state) => {
  let service: Service;
  const before: Record<string, string> = {};
  beforeAll(async () => {
    service = await Service.start({}, async (environment) => {
      await loadState(state, environment);
      if (state !== '2026-11-26') return;
      for (const command of ['keys list', 'audit', 'export', 'doctor --deep', 'doctor', 'reindex']) {
        before[command] = await ran(environment, ...command.split(' '));
      }
    });
  });
  afterAll(() => service.stop());

  it('has the documents and folders, and finds them by words, meaning and metadata', async () => {
    const documents = new Documents(() => service.client);
    const search = async (query: string, filters = {}): Promise<string[]> => {
      const chunks = await documents.retrieve({ query, k: 1, filters });
      return Promise.all(chunks.map(({ document_id: id }) => documents.text(id)));
    };
    expect(await search('E07')).toEqual([CONTENTS['boiler.txt']]);
    expect(await search('anything', { year: { $gte: 2025 } })).toEqual([CONTENTS['boiler.txt']]);
    expect(await search('anything', { tags: { $in: ['heating'] } })).toEqual([CONTENTS['boiler.txt']]);
    expect((await search('which flowers bloom?'))[0]).toContain('The roses were pruned');
    const folders = (await service.client.get('/folders')).json() as { full_path: string }[];
    expect(folders.map(({ full_path: path }) => path)).toContain('/house');
  });

  it('has the chat', async () => {
    const chat = (await service.client.get('/chat/spring')).json();
    expect(JSON.stringify(chat)).toContain('When do the roses flower?');
  });

  it('takes new documents, and has no damage', async () => {
    const documents = new Documents(() => service.client);
    await documents.ingestText('New.', { metadata: { year: 2026 } });
    const { code, output } = await deepDoctor();
    expect([code, output.match(/^fail.*/gm)]).toEqual([0, null]);
  });

  async function deepDoctor(): Promise<Ended> {
    await service.terminate();
    return ServiceProcess.spawn(service.environment, 'dist/cli/lectern.js', ['doctor', '--deep']).end();
  }

  if (state === '2026-11-26') {
    it('was migrated by its start only: each command before it named the one that migrates', () => {
      expect(before).toEqual({
        'keys list': `1: ${SENTENCE}`,
        audit: `1: ${SENTENCE}`,
        export: `1: ${SENTENCE}`,
        'doctor --deep': `1: ${SENTENCE}`,
        reindex: expect.stringContaining(SENTENCE) as string,
        doctor: expect.stringMatching(new RegExp(`^fail  database +${SENTENCE}$`, 'm')) as string,
      });
    });
  }
});

onServer('a service whose database a later version migrates', () => {
  it('ends with a line that names the migration, and does not start again', async () => {
    const service = await Service.start();
    const database = await connectDatabase(readSettings(service.environment));
    try {
      await database.query(
        `insert into migrations ("timestamp", name) values (1999999999999, 'Later1999999999999')`,
      );
      await service.printed('Later1999999999999');
      const ended = await service.ended();
      expect(ended.output).toContain('This process ends now');
      const { code, output } = await ServiceProcess.spawn(service.environment).end();
      expect([code, output]).toEqual([
        1,
        expect.stringMatching(
          /^A later version of Lectern has migrated this database \(Later1999999999999\), .*$/,
        ),
      ]);
    } finally {
      await database.destroy();
      await service.stop();
    }
  });
});
