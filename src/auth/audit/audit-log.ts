import { userInfo } from 'node:os';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import { LessThan, type Repository } from 'typeorm';
import { run } from '../../database/run.js';
import { storableText } from '../../json/storable.js';
import { AuditEntryEntity } from './audit-entry.entity.js';

type NewAuditEntry = Omit<AuditEntryEntity, 'entryId' | 'loggedAt'>;

/** Entries per statement of an export. */
const BATCH = 1_000;

/**
 * Maximum length of a stored subject, in characters. The length is limited because a request may name a thousand
 * documents.
 */
const MAX_SUBJECT = 4_000;

/** The audit log: what administrators did. It is append-only. The operator decides how long entries are kept. */
@Injectable()
export class AuditLog {
  constructor(@InjectRepository(AuditEntryEntity) private readonly entries: Repository<AuditEntryEntity>) {}

  async record(entry: NewAuditEntry): Promise<void> {
    const subject = entry.subject === null ? null : storable(entry.subject);
    await this.entries.insert({ ...entry, subject });
  }

  /** Records a command that an operator ran on the command line, with the system user instead of a key. */
  async recordCommand(appId: string, action: string, subject: string | null): Promise<void> {
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
   */
  async list(appId: string, limit: number, before: string | null): Promise<AuditEntryEntity[]> {
    return this.entries.find({
      where: { appId, ...(before !== null && { entryId: LessThan(before) }) },
      order: { entryId: 'DESC' },
      take: limit,
    });
  }

  /** Yields all entries, oldest first. @param appId null yields the entries of all tenants */
  async *all(appId: string | null, since: Date | null): AsyncGenerator<AuditEntryEntity, void> {
    for (let after = '0'; ;) {
      const rows = await run<AuditEntryEntity>(
        this.entries.manager,
        sql`select app_id as "appId", entry_id::text as "entryId", logged_at as "loggedAt", key_id as "keyId", person,
              address, action, subject, outcome, status_code as "statusCode", request_id as "requestId"
            from audit_log
            where entry_id > ${after}::bigint and (${appId}::text is null or app_id = ${appId})
              and (${since?.toISOString() ?? null}::timestamptz is null or logged_at >= ${since?.toISOString() ?? null}::timestamptz)
            order by entry_id limit ${BATCH}`,
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      yield* rows;
      after = last.entryId;
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
