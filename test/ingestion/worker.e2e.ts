import { Client } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { ServiceProcess } from '../support/process.js';
import { becomesReady } from '../support/health.js';
import { onServer } from '../support/server-database.js';
import { Service } from '../support/service.js';

// The embedded database allows one process, and rejects WORKER=only.
onServer('a process with WORKER=only', () => {
  let api: Service;
  let worker: ServiceProcess;
  let probes: Client;
  beforeAll(async () => {
    api = await Service.start({ WORKER: 'off' });
    worker = ServiceProcess.spawn({ ...api.environment, WORKER: 'only' });
    probes = new Client(await worker.url(), api.adminKey);
  });
  afterAll(async () => {
    await worker.kill('SIGTERM');
    await api.stop();
  });

  it('ingests documents accepted by another process', async () => {
    const record = await new Documents(() => api.client).ingestText('The lamp is lit at dusk.');
    expect(record.system_metadata).toMatchObject({ status: 'completed' });
  });

  it('serves health probes and its own metrics', async () => {
    await becomesReady(new Client(await worker.url(), null));
    for (const path of ['/ping', '/health', '/health/live', '/health/ready']) {
      expect([path, (await new Client(await worker.url(), null).get(path)).status]).toEqual([path, 200]);
    }
    expect((await probes.get('/metrics')).text).toMatch(
      /^lectern_ingestions_total\{outcome="completed"\} [1-9]/m,
    );
  });

  it.each(['/documents/1', '/docs', '/openapi.json', '/folders'])('does not serve %s', async (path) => {
    const answer = await probes.get(path);
    expect(answer.status).toBe(404);
    expect((answer.json() as { detail: string }).detail).toMatch(/Not Found|WORKER=only/);
  });
});
