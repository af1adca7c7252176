import { MoveInstallation } from '../../test/support/move-installation.js';
import { scopeOf, shardIds, shardOf } from '../../src/auth/scope.js';
import { TENANT_TABLES } from '../../src/database/tenant-tables.js';
import { movedTables } from './moved-tables.js';

describe('an export', () => {
  let source: MoveInstallation;
  let target: MoveInstallation;
  let bytes: Buffer;
  beforeAll(async () => {
    source = await MoveInstallation.open();
    target = await MoveInstallation.open();
    await source.fill('acme');
    await source.fill('other');
    await target.fill('staying');
    bytes = await source.export('acme');
  }, 120_000);
  afterAll(async () => {
    await source.close();
    await target.close();
  });

  const expectWhole = async (): Promise<void> => {
    const [{ anew: former, ...before }, { anew, ...after }] = [await source.moved(), await target.moved()];
    expect([former, anew]).toEqual([13, 0]);
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(after).toEqual(before);
    expect(await target.filesOf('acme')).toEqual(await source.filesOf('acme'));
    expect(await target.query(`select name from service_state where name like 'restore:%'`)).toEqual([]);
  };

  it('decides about every table of tenants', () => {
    const moved = movedTables(source.database.dataSource).map(({ name }) => name);
    const leftOut = Object.entries(TENANT_TABLES).flatMap(([name, { moves }]) =>
      moves.of === 'nothing' ? [name] : [],
    );
    expect([...moved, ...leftOut].sort()).toEqual(Object.keys(TENANT_TABLES).sort());
  });

  it('is restored with every row and file, and leaves another tenant unchanged', async () => {
    const [rows, files] = [await target.rowsOf('staying'), await target.filesOf('staying')];
    await target.restore(bytes);
    await expectWhole();
    expect(await target.rowsOf('staying')).toEqual(rows);
    expect(await target.filesOf('staying')).toEqual(files);
    const [job] = await target.query(`select state, leased_until from ingestion_jobs where app_id = 'acme'`);
    expect(job).toEqual({ state: 'queued', leased_until: null });
    await expect(target.restore(bytes)).rejects.toThrow('The tenant "acme" is not empty');
    await target.remove('acme');
  });

  it('is restored once however often the restoring process is killed', async () => {
    for (const share of [0.05, 0.2, 0.21, 0.5, 0.8, 0.99]) {
      await expect(target.restore(bytes, {}, Math.floor(bytes.length * share))).rejects.toThrow('killed');
    }
    await target.restore(bytes);
    await expectWhole();
    await target.remove('acme');
  });

  it('starts again if its tenant was deleted after an interruption', async () => {
    await expect(target.restore(bytes, {}, Math.floor(bytes.length * 0.9))).rejects.toThrow('killed');
    await target.remove('acme');
    await target.restore(bytes);
    await expectWhole();
    await target.remove('acme');
  });

  it('is refused with the position of a damaged byte', async () => {
    for (const share of [0, 0.1, 0.4, 0.7, 0.999]) {
      const damaged = Buffer.from(bytes);
      const at = Math.floor(damaged.length * share);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      await expect(target.restore(damaged)).rejects.toThrow(/^The export is damaged at byte \d+: /);
    }
    await expect(target.restore(bytes.subarray(0, -1))).rejects.toThrow('it ends too early');
    await expect(target.restore(Buffer.concat([bytes, Buffer.from('x')]))).rejects.toThrow(
      'it continues after its end',
    );
    await target.restore(bytes);
    await expectWhole();
    await target.remove('acme');
  });

  it('is refused for another model, another schema and another number of shards', async () => {
    const changed = (from: string, to: string): Buffer =>
      Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');
    await expect(target.restore(changed('"model":"fake"', '"model":"mine"'))).rejects.toThrow(
      'The vectors of chunks were made by mine (8 dimensions) in the export, and by fake (8 dimensions) in this installation',
    );
    await expect(target.restore(changed('"schema":"', '"schema":"X'))).rejects.toThrow(
      'The export has the schema X',
    );
    await expect(target.restore(bytes, { into: 'staying', shards: 2 })).rejects.toThrow(
      'its number of shards (1) cannot change',
    );
    expect(await target.query(`select 1 from apps where app_id = 'acme'`)).toEqual([]);
  });

  it('is restored into a tenant of several shards with another id, and back into one', async () => {
    await target.restore(bytes, { into: 'wide', shards: 3 });
    const wide = scopeOf('wide', [], 'test', { shards: 3 });
    const documents = await target.query<{ app_id: string; id: string }>(
      `select app_id, external_id as id from documents where app_id = any($1)`,
      [shardIds(wide)],
    );
    expect(documents).toHaveLength(3);
    expect(documents.map(({ app_id }) => app_id)).toEqual(documents.map(({ id }) => shardOf(wide, id).appId));
    expect(await target.query(`select 1 from api_keys where app_id = 'wide'`)).toEqual([]);
    expect(await target.filesOf('wide')).toHaveLength(1);
    const [file] = await target.query<{ key: string }>(
      `select storage_files #>> '{0,key}' as key from documents where storage_files <> '[]' and app_id like 'wide%'`,
    );
    expect(file?.key).toMatch(/^wide\//);
    const back = await target.export('wide');
    await target.restore(back, { into: 'acme', shards: 1 });
    const [before, after] = [await source.rowsOf('acme'), await target.rowsOf('acme')];
    for (const table of [
      'chunks',
      'term_stats',
      'corpus_stats',
      'documents',
      'document_texts',
      'pages',
      'folders',
      'conversations',
      'turns',
    ]) {
      expect(after[table]).toEqual(before[table]);
    }
    await target.remove('acme');
    await target.remove('wide');
  });

  it('contains every tenant unless it names one', async () => {
    const empty = await MoveInstallation.open();
    await empty.restore(await source.export());
    for (const appId of ['acme', 'other']) {
      expect((await empty.rowsOf(appId))['chunks']).toEqual((await source.rowsOf(appId))['chunks']);
    }
    const [index] = await empty.query(
      `select indexname from pg_indexes where indexname like 'chunks_embedding_8%'`,
    );
    expect(index).toBeDefined();
    await empty.close();
  });

  it('replaces what a tenant has, but its keys and log, and deletes the files that do not come back', async () => {
    await target.fill('acme');
    const keys = await target.query(`select jti from api_keys where app_id = 'acme'`);
    const [staying, former] = [await target.rowsOf('staying'), await target.filesOf('acme')];
    await expect(target.restore(bytes)).rejects.toThrow('replace its data with --replace');
    for (const share of [0.1, 0.7]) {
      const cut = Math.floor(bytes.length * share);
      await expect(target.restore(bytes, { replace: true }, cut)).rejects.toThrow('killed');
    }
    await target.restore(bytes, { replace: true });
    const content = async (one: MoveInstallation): Promise<Record<string, unknown>> => {
      const { api_keys, apps, operation_log, anew, ...rows } = await one.moved();
      expect([api_keys, apps, operation_log, anew]).not.toContain(undefined);
      return rows;
    };
    expect(await content(target)).toEqual(await content(source));
    expect(await target.query(`select jti from api_keys where app_id = 'acme'`)).toEqual(
      expect.arrayContaining(keys),
    );
    expect(await target.rowsOf('staying')).toEqual(staying);
    expect(await target.query(`select name from service_state where name ~ '^(restore|replaced):'`)).toEqual(
      [],
    );

    const [files, gone] = [
      await target.filesOf('acme'),
      await target.query<{ key: string }>(`select key from object_removals where app_id = 'acme'`),
    ];
    const isGone = (file: string): boolean => gone.some(({ key }) => file.startsWith(key));
    expect(files.filter((file) => !isGone(file))).toEqual(await source.filesOf('acme'));
    expect(files.filter(isGone)).toEqual(former);
  });
});
