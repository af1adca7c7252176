import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import type { HealthDto } from '../../src/operations/health/health.dto.js';
import { Database } from '../../src/database/data-source.js';
import { changeSchema } from '../../src/database/migrate.js';
import type { Answer, Client } from '../support/client.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { Documents, type DocumentRecord } from '../support/documents.js';
import {
  at,
  citusWorkers,
  createServerDatabase,
  onCluster,
  serverUrl,
  type ServerDatabase,
} from '../support/server-database.js';
import { Service } from '../support/service.js';
import { pause } from '../support/until.js';

interface Tenant {
  readonly appId: string;
  /** A client of the current service process. */
  readonly client: Client;
  readonly documents: Documents;
  readonly lantern: DocumentRecord;
}

// A proxy in front of the second worker can cut its connections.
onCluster('a distributed database (needs DATABASE_URL and CITUS_WORKERS)', () => {
  let proxy: TcpProxy;
  let addresses: string[];
  let database: ServerDatabase;
  let service: Service;
  let coordinator: pg.Client;
  let workers: pg.Client[];
  /** One tenant per worker. */
  let tenants: Tenant[];

  beforeAll(async () => {
    const server = serverUrl ?? '';
    const [first = '', second = ''] = citusWorkers;
    proxy = await TcpProxy.start(at(server, second));
    addresses = [first, new URL(proxy.url).host];
    database = await createServerDatabase(server, addresses);
    service = await Service.start({ DATABASE_URL: database.url });
    const connect = async (url: string): Promise<pg.Client> => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    };
    coordinator = await connect(database.url);
    workers = await Promise.all([first, second].map((address) => connect(at(database.url, address))));
    await coordinator.query('create extension if not exists pg_stat_statements');
    tenants = [await tenantOn(0), await tenantOn(1)];
  });
  afterAll(async () => {
    await service.stop();
    await recover(); // prepared transactions prevent the removal of a database
    await Promise.all([coordinator, ...workers].map((client) => client.end()));
    await database.drop();
    await proxy.close();
  });

  /**
   * Finishes prepared transactions, as Citus does every minute; a cut connection is detected at its next use.
   */
  async function recover(): Promise<void> {
    const look = () => coordinator.query('select recover_prepared_transactions()');
    await look().catch(look);
  }

  async function workerOf(appId: string): Promise<number> {
    const { rows } = await coordinator.query<{ address: string }>(
      `select nodename || ':' || nodeport as address from pg_dist_shard_placement
       where shardid = get_shard_id_for_distribution_column('documents', $1::text)`,
      [appId],
    );
    return addresses.indexOf(rows[0]?.address ?? '');
  }

  async function tenantOn(worker: number): Promise<Tenant> {
    for (let number = 0; ; number += 1) {
      const name = `team-${worker}-${number}`;
      const made = await service.client.post('/cloud/generate_uri', { name });
      const { app_id: appId, uri } = made.json() as { readonly app_id: string; readonly uri: string };
      if ((await workerOf(appId)) !== worker) continue;
      const key = /:([\w.-]+)@/.exec(uri)?.[1] ?? null;
      const documents = new Documents(() => service.as(key));
      const lantern = await documents.ingestText('The lantern burns whale oil.', {
        metadata: { lit: false, year: 1851 },
        folder_name: '/ships/lights',
      });
      return {
        appId,
        get client() {
          return service.as(key);
        },
        documents,
        lantern,
      };
    }
  }

  /** Requests of a tenant, each with the expected status. */
  const requests = ({ client, lantern }: Tenant): [string, () => Promise<Answer>][] => {
    const query = 'What does the lantern burn?';
    const id = lantern.external_id;
    return [
      ['passages', () => client.post('/retrieve/chunks', { query })],
      [
        'passages with a filter',
        () =>
          client.post('/retrieve/chunks', {
            query,
            filters: { year: { $gt: 1800 }, lit: { $in: [true, false] } },
          }),
      ],
      ['documents', () => client.post('/retrieve/docs', { query, folder_name: '/ships', folder_depth: -1 })],
      ['an answer in a chat', () => client.post('/query', { query, chat_id: 'watch' })],
      ['chats', () => client.get('/chats')],
      ['a list', () => client.post('/documents/list_docs', { include_total_count: true })],
      ['a document', () => client.get(`/documents/${id}`)],
      ['folders', () => client.get('/folders')],
      ['names', () => client.post('/search/documents', { query: 'lantern' })],
      ['metadata', () => client.post(`/documents/${id}/update_metadata`, { metadata: { lit: true } })],
      ['a text', () => client.post(`/documents/${id}/update_text`, { content: 'It was lit at dusk.' })],
      [
        'a summary',
        () => client.put(`/documents/${id}/summary`, { content: 'Of lanterns.', overwrite_latest: true }),
      ],
      ['what is stored', () => client.get('/usage/app-storage')],
    ];
  };

  /** Returns the statements over shards that a worker has received since the last reset. */
  async function shardStatements(worker: pg.Client): Promise<string[]> {
    const { rows } = await worker.query<{ query: string }>(
      `select query from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
         and query ~ '_10[0-9]{4}'`,
    );
    return rows.map(({ query }) => query);
  }

  it('stores the rows of a tenant on one node', async () => {
    for (const [place, { appId }] of tenants.entries()) {
      const { rows } = await coordinator.query<{ address: string; chunks: string }>(
        `select p.nodename || ':' || p.nodeport as address, c.result as chunks
         from run_command_on_shards('chunks', $1) c join pg_dist_shard_placement p on p.shardid = c.shardid
         where c.result <> '0'`,
        [`select count(*) from %s where app_id = ${pg.escapeLiteral(appId)}`],
      );
      expect(rows).toEqual([{ address: addresses[place], chunks: '1' }]);
    }
  });

  it('stores a sharded tenant on both nodes, and returns all of it', async () => {
    const made = await service.client.post('/cloud/generate_uri', { name: 'wide', parts: 8 });
    const { app_id: appId, uri } = made.json() as { readonly app_id: string; readonly uri: string };
    const client = service.as(/:([\w.-]+)@/.exec(uri)?.[1] ?? null);
    const documents = new Documents(() => client);
    const stored: DocumentRecord[] = [];
    for (let number = 0; number < 16; number += 1) {
      const folder = `/ships/${number % 2}`;
      stored.push(await documents.ingestText(`Lantern ${number} burns oil.`, { folder_name: folder }));
    }
    const { rows } = await coordinator.query<{ address: string; chunks: string }>(
      `select p.nodename || ':' || p.nodeport as address, sum(c.result::integer) as chunks
       from run_command_on_shards('chunks', $1) c join pg_dist_shard_placement p on p.shardid = c.shardid
       where c.result <> '0' group by 1`,
      [`select count(*) from %s where starts_with(app_id, ${pg.escapeLiteral(appId)})`],
    );
    expect(rows.map(({ address }) => address).sort()).toEqual(addresses.toSorted());
    expect(rows.reduce((sum, { chunks }) => sum + Number(chunks), 0)).toBe(16);
    const query = { query: 'What burns oil?', k: 100 };
    expect(await documents.retrieve(query)).toHaveLength(16);
    await client.post(`/folders/${encodeURIComponent('/ships')}/move`, { new_path: '/boats' });
    expect(await documents.retrieve({ ...query, folder_name: '/boats/1' })).toHaveLength(8);

    await proxy.refuse();
    expect((await client.post('/retrieve/chunks', query)).status).toBe(503);
    const statuses = await Promise.all(
      stored.map(async ({ external_id: id }) => (await client.get(`/documents/${id}`)).status),
    );
    expect([...new Set(statuses)].sort()).toEqual([200, 503]);
    await proxy.accept();
    expect(await documents.retrieve(query)).toHaveLength(16);
    expect((await service.client.delete('/apps?app_name=wide')).json()).toMatchObject({
      documents_deleted: 16,
    });
  });

  it('queries one node for each request of a tenant', async () => {
    for (const [place, tenant] of tenants.entries()) {
      for (const [name, request] of requests(tenant)) {
        await Promise.all(workers.map((worker) => worker.query('select pg_stat_statements_reset()')));
        const { status, text } = await request();
        expect([name, status, status === 200 ? '' : text]).toEqual([name, 200, '']);
        const own = workers[place];
        const other = workers[1 - place];
        if (own === undefined || other === undefined) throw new Error('two workers are needed');
        expect([name, (await shardStatements(own)).length > 0]).toEqual([name, true]);
        expect([name, await shardStatements(other)]).toEqual([name, []]);
      }
    }
  });

  it('uses two-phase commit across coordinator and node', async () => {
    const [tenant] = tenants;
    const [worker] = workers;
    if (tenant === undefined || worker === undefined) throw new Error('no tenant');
    await worker.query('select pg_stat_statements_reset()');
    const { external_id: id } = await tenant.documents.ingestText('A rope is coiled on the deck.');
    await tenant.client.delete(`/documents/${id}`);
    const { rows } = await worker.query<{ prepared: string }>(
      `select coalesce(sum(calls), 0) as prepared from pg_stat_statements where query ~* '^prepare transaction'`,
    );
    expect(Number(rows[0]?.prepared)).toBeGreaterThanOrEqual(3); // ingestion with its job, completion, deletion
  });

  const command = async (name: string): Promise<string> => {
    const environment = { ...process.env, ...service.environment, NO_COLOR: '1' };
    const { stdout } = await promisify(execFile)(process.execPath, ['dist/cli/lectern.js', name], {
      env: environment,
    }).catch((error: unknown) => error as { stdout: string });
    return stdout;
  };
  const doctor = async (): Promise<string> => {
    const said = await command('doctor');
    return said.split('\n').find((line) => line.includes('cluster')) ?? said;
  };

  it('migrates like a single server, and distributes new tables by command', async () => {
    const onShards = async (statement: string): Promise<string[]> => {
      const { rows } = await coordinator.query<{ result: string }>(
        `select distinct result from run_command_on_shards('documents', $1)`,
        [statement],
      );
      return rows.map(({ result }) => result);
    };
    const dataSource = await new Database({ url: database.url, poolSize: 2 }).initialize();
    await changeSchema(dataSource, async (manager) => {
      await manager.query('alter table documents add column later integer not null default 7');
      await manager.query('create index documents_later on documents (app_id, later)');
      await manager.query('create table later_notes (app_id text references apps on delete cascade)');
    });
    await dataSource.destroy();
    const indexes = `select count(*) from pg_indexes where tablename = '%s' and indexname like 'documents_later%%'`;
    expect(await onShards(indexes)).toEqual(['1']);
    const { rows } = await coordinator.query('select distinct later from documents');
    expect(rows).toEqual([{ later: 7 }]);
    expect(await doctor()).toMatch(/^warn .*later_notes is not distributed: run "lectern distribute"/);
    expect(await command('distribute')).toMatch(/^done: distribute \d+ tables/m);
    expect(await doctor()).toMatch(/^ok /);
    await coordinator.query('drop table later_notes');
    await coordinator.query('alter table documents drop column later');
    expect(await onShards(indexes)).toEqual(['0']);
    for (const tenant of tenants) expect((await tenant.client.get('/folders')).status).toBe(200);
  });

  it('reports the distribution and missing nodes to lectern doctor', async () => {
    expect(await doctor()).toMatch(/^ok .*2 nodes: 127\.0\.0\.1:\d+ has \d+ tenants? with \d+ chunks?/);
    await proxy.refuse();
    expect(await doctor()).toMatch(/^warn .*does not answer, so its tenants get 503: start it/);
    await proxy.accept();
  });

  it('returns 503 to tenants of a stopped node, and serves the others', async () => {
    const [here, there] = tenants;
    if (here === undefined || there === undefined) throw new Error('no tenants');
    await proxy.refuse();
    for (const [name, request] of requests(there)) {
      const answer = await request();
      expect([name, answer.status]).toEqual([name, 503]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    for (const [name, request] of requests(here)) {
      const { status } = await request();
      expect([name, status]).toEqual([name, 200]);
    }
    await here.documents.ingestText('Taken in while a neighbour was away.');
    const health = (await service.as(null).get('/health')).json() as HealthDto;
    expect(health.services.find(({ name }) => name === 'nodes')).toMatchObject({
      status: 'degraded',
      message: expect.stringMatching(/^no response from node \d+: their tenants get 503$/) as string,
    });
    await service.terminate();
    await service.restart(); // starting does not depend on the nodes
    expect((await here.client.get('/folders')).status).toBe(200);
    await proxy.accept();
    for (const tenant of tenants) {
      for (const [name, request] of requests(tenant)) {
        const { status } = await request();
        expect([name, status]).toEqual([name, 200]);
      }
    }
  });

  it('loses and duplicates nothing while a node restarts', async () => {
    const there = tenants[1];
    if (there === undefined) throw new Error('no tenant');
    const { client, documents } = there;
    const taken: string[] = [];
    const over = new AbortController();
    const writing = (async () => {
      for (let number = 0; !over.signal.aborted; number += 1) {
        const answer = await client.post('/ingest/text', {
          content: `Barrel ${number} holds salt.`,
          filename: `barrel-${number}`,
        });
        if (answer.status === 200) taken.push((answer.json() as DocumentRecord).external_id);
        else expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
      }
    })();
    for (let round = 0; round < 5; round += 1) {
      await pause(700, 'the node answers for a while');
      await proxy.refuse();
      await pause(500, 'the fault lasts');
      await proxy.accept();
    }
    over.abort();
    await writing;
    await recover();
    // A document whose response was lost may also exist, as a whole.
    const stored = async () =>
      coordinator.query<{ id: string; chunks: number }>(
        `select d.external_id as id, d.chunk_count as chunks from documents d
         where d.app_id = $1 and d.filename like 'barrel-%' order by 1`,
        [there.appId],
      );
    const ids = (await stored()).rows.map(({ id }) => id);
    expect(taken.length).toBeGreaterThan(0);
    expect(ids).toEqual(expect.arrayContaining(taken));
    for (const id of ids) expect((await documents.settled(id)).system_metadata.status).toBe('completed');
    expect((await stored()).rows).toEqual(ids.map((id) => ({ id, chunks: 1 })));
    const { rows: counts } = await coordinator.query<{ seen: string; counted: string }>(
      `select count(*) as seen, (select chunk_count from corpus_stats where app_id = $1) as counted
       from chunks c where c.app_id = $1`,
      [there.appId],
    );
    expect(counts[0]?.seen).toBe(counts[0]?.counted);
    const left = await coordinator.query('select from ingestion_jobs where app_id = $1', [there.appId]);
    expect(left.rowCount).toBe(0);
  });
});
