import { userInfo } from 'node:os';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import { LessThan, MoreThanOrEqual, type Repository } from 'typeorm';
import { run } from '../../database/run.js';
import { storableText } from '../../json/storable.js';
import type { AuditEvent } from './audit-events.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import { CHAINED_COLUMNS, type ChainedEntry, type ChainHead } from './chain.js';

type NewAuditEntry = Omit<AuditEntryEntity, 'entryId' | 'loggedAt'>;

/** Which entries an export contains. null or absent: no bound. */
export interface AuditSelection {
  readonly appId?: string | null;
  readonly action?: AuditEvent | null;
  /** Time of the first entry. */
  readonly since?: Date | null;
  /** Time behind the last entry. */
  readonly until?: Date | null;
  /** Place behind which the entries begin: the last entry of the previous page. */
  readonly after?: EntryPlace | null;
}

/** The order of an export. */
export type EntryPlace = Pick<ChainedEntry, 'logged_at' | 'entry_id'>;

/** An entry with its place in the chain of its tenant; null if it is not sealed yet. */
export interface ExportedEntry {
  readonly entry: ChainedEntry;
  readonly seal: ChainHead | null;
}

const FIRST: EntryPlace = { logged_at: '-infinity', entry_id: '0' };

/** Entries per statement of an export. */
const BATCH = 1_000;

/**
 * Maximum length of a stored subject, in characters. The length is limited because a request may name a thousand
 * documents.
 */
const MAX_SUBJECT = 4_000;

/**
 * The audit log: what administrators did, and what was deleted. It is append-only. The operator decides how long entries
 * are kept. `audit-events.ts` lists the events.
 */
@Injectable()
export class AuditLog {
  constructor(@InjectRepository(AuditEntryEntity) private readonly entries: Repository<AuditEntryEntity>) {}

  async record(entry: NewAuditEntry): Promise<void> {
    await this.recordAll([entry]);
  }

  async recordAll(entries: readonly NewAuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.entries.insert(
      entries.map((entry) => ({
        ...entry,
        subject: entry.subject === null ? null : storable(entry.subject),
      })),
    );
  }

  /** Records a command that an operator ran on the command line, with the system user instead of a key. */
  async recordCommand(appId: string, action: AuditEvent, subject: string | null): Promise<void> {
    await this.record({
      appId,
      keyId: 'command line',
      person: systemUser(),
      address: null,
      action,
      subject,
      outcome: 'done',
      statusCode: null,
      requestId: null,
    });
  }

  /**
   * Returns entries of a tenant, newest first.
   * @param before id of the last entry of the previous page; null for the first page
   * @param since time of the first entry; null: the entries of removed tenants that had the same id, too
   */
  async list(
    appId: string,
    limit: number,
    { before, since }: { readonly before: string | null; readonly since: Date | null },
  ): Promise<AuditEntryEntity[]> {
    return this.entries.find({
      where: {
        appId,
        ...(before !== null && { entryId: LessThan(before) }),
        ...(since !== null && { loggedAt: MoreThanOrEqual(since) }),
      },
      order: { entryId: 'DESC' },
      take: limit,
    });
  }

  /** Yields the entries of all tenants or of one, oldest first, with their seals. */
  async *all({ appId, action, since, until, after }: AuditSelection): AsyncGenerator<ExportedEntry, void> {
    const [from, to] = [since?.toISOString() ?? null, until?.toISOString() ?? null];
    for (let last: EntryPlace = after ?? FIRST; ;) {
      const rows = await run<ChainedEntry & { readonly position: string | null; readonly hash: string }>(
        this.entries.manager,
        sql`select ${CHAINED_COLUMNS}, s.position::text as position, s.hash
            from audit_log e left join audit_seals s on s.app_id = e.app_id and s.entry_id = e.entry_id
            where e.logged_at >= ${last.logged_at}::timestamptz
              and (e.logged_at, e.entry_id) > (${last.logged_at}::timestamptz, ${last.entry_id}::bigint)
              and (${appId ?? null}::text is null or e.app_id = ${appId ?? null})
              and (${action ?? null}::text is null or e.action = ${action ?? null})
              and (${from}::timestamptz is null or e.logged_at >= ${from}::timestamptz)
              and (${to}::timestamptz is null or e.logged_at < ${to}::timestamptz)
            order by e.logged_at, e.entry_id limit ${BATCH}`,
      );
      for (const { position, hash, ...entry } of rows) {
        yield { entry, seal: position === null ? null : { position, hash } };
        last = entry;
      }
      if (rows.length < BATCH) return;
    }
  }
}

function storable(subject: string): string {
  const text = storableText(subject);
  return text.length <= MAX_SUBJECT ? text : `${text.slice(0, MAX_SUBJECT).toWellFormed()}…`;
}

/** Returns the name of the system user, or the numeric id if the user has no name, as in some containers. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
