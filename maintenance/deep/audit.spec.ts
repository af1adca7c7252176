import { createHash } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { AuditEntryEntity } from '../../src/auth/audit/audit-entry.entity.js';
import { AuditLog, type ExportedEntry } from '../../src/auth/audit/audit-log.js';
import { headOf, sealEntries } from '../../src/auth/audit/audit-sealing.js';
import { cutAuditLog } from '../audit-cut.js';
import { AUDIT_CHECKS } from './audit.js';
import type { Tools } from './check.js';

describe('the chain of the audit log', () => {
  let database: TestDatabase;
  let log: AuditLog;
  beforeAll(async () => {
    database = await openTestDatabase();
    log = new AuditLog(database.dataSource.getRepository(AuditEntryEntity));
  }, 60_000);
  afterAll(() => database.close());
  afterEach(async () => {
    await tamper('truncate audit_log, audit_seals');
    for (const table of ['audit_log', 'audit_seals']) {
      await query(`alter table ${table} enable trigger ${table}_kept`);
    }
  });

  const query = <T = Record<string, unknown>>(text: string, parameters: unknown[] = []): Promise<T[]> =>
    database.dataSource.query(text, parameters);
  const add = async (appId: string, count: number): Promise<void> => {
    for (let number = 1; number <= count; number += 1) {
      await log.recordCommand(appId, 'key.create', `number ${number}`);
    }
  };
  const look = (): Promise<{ readonly count: number; readonly examples: readonly string[] }> => {
    const [check] = AUDIT_CHECKS;
    if (check === undefined) throw new Error('no check');
    return check.look({ dataSource: database.dataSource } as Tools, '');
  };
  /** What somebody with the rights of the owner could do. */
  const tamper = async (statement: string): Promise<void> => {
    for (const table of ['audit_log', 'audit_seals']) {
      await query(`alter table ${table} disable trigger ${table}_kept`);
    }
    await query(statement);
  };
  const idAt = async (position: number): Promise<string> => {
    const [seal] = await query<{ entry_id: string }>(
      `select entry_id::text from audit_seals where app_id = 'acme' and position = $1`,
      [position],
    );
    return seal?.entry_id ?? '';
  };

  it('holds the entries of each tenant, and anybody can compute it from an export', async () => {
    await add('acme', 3);
    await add('other', 2);
    await sealEntries(database.dataSource);
    await add('acme', 1);
    await sealEntries(database.dataSource);
    expect(await look()).toEqual({ count: 0, examples: [] });
    const exported: ExportedEntry[] = [];
    for await (const one of log.all({ appId: 'acme' })) exported.push(one);
    let hash = '';
    for (const { entry, seal } of exported) {
      const members = Object.entries(entry).sort(([one], [other]) => one.localeCompare(other));
      hash = createHash('sha256')
        .update(`${hash}\n${JSON.stringify(Object.fromEntries(members))}`)
        .digest('hex');
      expect(seal?.hash).toBe(hash);
    }
    expect(exported.map(({ seal }) => seal?.position)).toEqual(['1', '2', '3', '4']);
    expect(await headOf(database.dataSource, 'acme')).toEqual({ position: '4', hash });
  });

  it('stays one chain when several processes seal at once', async () => {
    await add('acme', 40);
    await Promise.all(Array.from({ length: 4 }, () => sealEntries(database.dataSource)));
    await sealEntries(database.dataSource);
    expect(await look()).toEqual({ count: 0, examples: [] });
    expect(await headOf(database.dataSource, 'acme')).toMatchObject({ position: '40' });
  });

  it('seals an entry whose transaction ended after a later one was sealed', async () => {
    await query(
      `insert into audit_log (app_id, key_id, action, outcome, logged_at)
       values ('acme', 'late', 'key.create', 'done', now() - interval '30 seconds')`,
    );
    const since = await sealEntries(database.dataSource);
    await query(
      `insert into audit_log (app_id, key_id, action, outcome, logged_at)
       values ('acme', 'later', 'key.create', 'done', now() - interval '40 seconds')`,
    );
    await sealEntries(database.dataSource, new Date(Date.parse(since) - 60_000).toISOString());
    expect(await headOf(database.dataSource, 'acme')).toMatchObject({ position: '2' });
    expect(await look()).toEqual({ count: 0, examples: [] });
  });

  describe('that somebody with access to the database has changed', () => {
    beforeEach(async () => {
      await add('acme', 5);
      await sealEntries(database.dataSource);
    });

    it.each([
      [
        'a changed entry',
        `update audit_log set subject = 'another' where entry_id = $id`,
        'is not as it was chained',
      ],
      [
        'a changed time',
        `update audit_log set logged_at = logged_at + interval '1 microsecond' where entry_id = $id`,
        'is not as it was chained',
      ],
      ['a deleted entry', 'delete from audit_log where entry_id = $id', 'is gone'],
      ['an entry of another tenant', `update audit_log set app_id = 'other' where entry_id = $id`, 'is gone'],
    ])('%s is the first that is named', async (_, statement, what) => {
      const id = await idAt(3);
      await tamper(statement.replace('$id', id));
      const { count, examples } = await look();
      expect(count).toBe(1);
      expect(examples[0]).toMatch(new RegExp(`^acme: entry ${id} at position 3 .*${what}$`));
    });

    it('a deleted entry with its seal is named by the gap', async () => {
      const next = await idAt(4);
      await tamper(
        `with gone as (delete from audit_seals where position = 3 returning entry_id)
         delete from audit_log where entry_id in (select entry_id from gone)`,
      );
      expect((await look()).examples).toEqual([
        `acme: entry ${next} at position 4 follows position 2: the entries between are gone`,
      ]);
    });

    it('a chain without its beginning is named, unless the operator has cut it', async () => {
      const next = await idAt(3);
      await tamper(
        `with gone as (delete from audit_seals where position < 3 returning entry_id)
         delete from audit_log where entry_id in (select entry_id from gone)`,
      );
      expect((await look()).examples).toEqual([
        `acme: entry ${next} at position 3 follows position 0: the entries between are gone`,
      ]);
    });

    it('an entry that was never chained is named after an hour', async () => {
      const insert = (age: string): Promise<unknown> =>
        query(
          `insert into audit_log (app_id, key_id, action, outcome, logged_at)
           values ('acme', 'x', 'key.create', 'done', now() - $1::interval)`,
          [age],
        );
      await insert('1 minute');
      expect((await look()).count).toBe(0);
      await insert('2 hours');
      expect((await look()).examples).toEqual([
        expect.stringMatching(/^acme: entry \d+ of .* was never chained$/),
      ]);
    });
  });

  describe('that the operator cuts', () => {
    const age = (position: number): Promise<void> =>
      tamper(
        `update audit_log set logged_at = logged_at - interval '400 days'
         where entry_id in (select entry_id from audit_seals where position <= ${position});
         truncate audit_seals;
         alter table audit_log enable trigger audit_log_kept;
         alter table audit_seals enable trigger audit_seals_kept`,
      );

    it('goes on with a checkpoint, and refuses changes again', async () => {
      await add('acme', 5);
      await add('other', 1);
      await sealEntries(database.dataSource);
      await age(3);
      const yearAgo = new Date(Date.now() - 365 * 86_400_000);
      const cuts = await cutAuditLog(database.dataSource, yearAgo, 'acme');
      expect(cuts).toMatchObject([{ appId: 'acme', entries: 3, position: '3' }]);
      const left: string[] = [];
      for await (const { entry } of log.all({ appId: 'acme' })) left.push(entry.action);
      expect(left).toEqual(['key.create', 'key.create', 'audit.cut']);
      expect(await look()).toEqual({ count: 0, examples: [] });
      await add('acme', 2);
      await sealEntries(database.dataSource);
      expect(await look()).toEqual({ count: 0, examples: [] });
      await expect(query('delete from audit_seals')).rejects.toThrow('append-only');
      for (const statement of [
        'delete from audit_log',
        `update audit_log set action = 'nothing'`,
        'truncate audit_log',
      ]) {
        await expect(query(statement)).rejects.toThrow('append-only');
      }
      expect(await cutAuditLog(database.dataSource, yearAgo, 'acme')).toEqual([]);

      const [first] = await query<{ entry_id: string }>(
        `select entry_id::text from audit_seals where app_id = 'acme' order by position limit 1`,
      );
      await tamper(`update audit_log set person = 'nobody' where entry_id = ${first?.entry_id ?? ''}`);
      expect((await look()).examples[0]).toContain(`acme: entry ${first?.entry_id ?? ''} at position 4`);
    });

    it('keeps the entry of the cut when all others are deleted, and may be cut again', async () => {
      await add('acme', 3);
      await sealEntries(database.dataSource);
      await age(3);
      const now = new Date();
      expect(await cutAuditLog(database.dataSource, now, null)).toMatchObject([
        { entries: 3, position: '3' },
      ]);
      expect(await headOf(database.dataSource, 'acme')).toMatchObject({ position: '4' });
      await add('acme', 1);
      await sealEntries(database.dataSource);
      const later = new Date(Date.now() + 60_000);
      expect(await cutAuditLog(database.dataSource, later, null)).toMatchObject([
        { entries: 2, position: '5' },
      ]);
      expect(await look()).toEqual({ count: 0, examples: [] });
    });
  });
});
