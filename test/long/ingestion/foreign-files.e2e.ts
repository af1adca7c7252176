import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HealthDto } from '../../../src/operations/health/health.dto.js';
import { Client } from '../../support/client.js';
import { ServiceProcess } from '../../support/process.js';
import { onEmbedded } from '../../support/server-database.js';

const ADMIN_KEY = 'key-of-sixteen-characters';
/** Root may write anywhere, so the service runs as the user nobody. */
const NOBODY = 65_534;
const asNobody =
  process.getuid?.() === 0
    ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']
    : [];

// Another error rejects files of another database; this one concerns a folder with its own database.
onEmbedded('files restored by another user', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-restored-'));
    if (asNobody.length > 0) execFileSync('chown', [`${NOBODY}:${NOBODY}`, folder]);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each(['files', 'files/default'])('are reported in the log, by health and with 503: %s', async (path) => {
    const denied = join(folder, path);
    await mkdir(denied, { recursive: true });
    await chmod(denied, 0o555);
    if (path !== 'files' && asNobody.length > 0) {
      execFileSync('chown', [`${NOBODY}:${NOBODY}`, join(folder, 'files')]);
    }
    const service = ServiceProcess.spawn(
      { DATA_DIR: folder, PORT: '0', ADMIN_KEY },
      'dist/main.js',
      [],
      asNobody,
    );
    try {
      const client = new Client(await service.url(), ADMIN_KEY);
      const reason = 'The files of the store belong to another user than the service';
      await service.printed(`${reason}: change the owner of DATA_DIR/files and everything in it to the user`);
      const health = (await client.get('/health')).json() as HealthDto;
      expect(health.status).toBe('degraded');
      expect(health.services.find(({ name }) => name === 'storage')?.message).toBe(reason);

      const form = new FormData();
      form.append('file', new Blob(['The ferry leaves at nine.']), 'ferry.txt');
      const answer = await fetch(`${await service.url()}/ingest/file`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
        body: form,
      });
      expect([answer.status, await answer.json()]).toEqual([503, { detail: reason }]);
      expect(answer.headers.get('retry-after')).toBe('5');
    } finally {
      await chmod(denied, 0o755);
      await service.kill('SIGTERM');
    }
  });
});
