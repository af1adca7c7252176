import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import sql, { empty } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { RequestObserver, type ObservedRequest } from '../../http/request-observation.js';
import { runDetached } from '../../request/request-context.js';
import { KeyUses } from './key-uses.js';

export interface LogEntry {
  readonly appId: string;
  readonly loggedAt: Date;
  readonly operationType: string;
  readonly status: 'success' | 'error';
  readonly statusCode: number;
  readonly durationMs: number;
  readonly tokensUsed: number;
  readonly keyId: string;
  readonly requestId: string;
}

export interface KeyUsage {
  readonly keyId: string;
  /** null if the key is not stored, like ADMIN_KEY. */
  readonly name: string | null;
  readonly endUserId: string | null;
  readonly operations: number;
  readonly questions: number;
  readonly tokensUsed: number;
  readonly lastUsedAt: Date;
}

export interface LogSelection {
  readonly limit: number;
  readonly hours: number;
  readonly operationType: string | null;
  readonly status: string | null;
}

const WRITE_EVERY_MS = 1_000;
const BATCH = 500;

/**
 * Maximum number of entries in memory while the database is unavailable. Beyond this number, the oldest entries are
 * dropped.
 */
export const MAX_WAITING = 10_000;

/** Maximum number of entries kept per tenant. A tenant may have more entries until the next pruning. */
const KEPT = 10_000;
export const KEPT_HOURS = 168;
const PRUNE_EVERY_MS = 60_000;

/**
 * Maximum value of the column for tokens. Token counts are capped at this value, because counts from providers may be
 * wrong.
 */
const MAX_TOKENS = 2_147_483_647;

/** The status that nginx uses for "client closed request". */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * The operation log. Entries of requests are queued in memory, and written in batches every second and before the
 * shutdown. Entries contain neither questions nor document content.
 */
@Injectable()
export class OperationLog extends RequestObserver implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(OperationLog.name);
  private waiting: LogEntry[] = [];
  private lost = 0;
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private readonly written = new Set<string>();
  private pruneAt = performance.now() + PRUNE_EVERY_MS;

  constructor(
    private readonly dataSource: DataSource,
    private readonly uses: KeyUses,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      void this.flush()
        .then(() => this.pruneWhenDue())
        .then(() => this.uses.writeWhenDue());
    }, WRITE_EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    await this.uses.write();
  }

  override over(request: ObservedRequest): void {
    this.uses.note(request.scope, request.at);
    const operationType = operationTypeOf(request.method, request.route);
    if (operationType === null) return;
    const statusCode = request.aborted ? CLIENT_CLOSED_REQUEST : request.statusCode;
    this.waiting.push({
      appId: request.scope.appId,
      loggedAt: request.at,
      operationType,
      status: statusCode < 400 ? 'success' : 'error',
      statusCode,
      durationMs: Math.round(request.durationMs * 10) / 10,
      tokensUsed: Math.min(Math.round(request.tokens), MAX_TOKENS),
      keyId: request.scope.keyId,
      requestId: request.requestId,
    });
    if (this.waiting.length > MAX_WAITING) {
      this.waiting.shift();
      this.lost += 1;
    }
  }

  /** Returns operations of a tenant, newest first. */
  async list(scope: Scope, { limit, hours, operationType, status }: LogSelection): Promise<LogEntry[]> {
    await this.flush();
    return run<LogEntry>(
      this.dataSource,
      sql`select app_id as "appId", logged_at as "loggedAt", operation_type as "operationType", status,
            status_code as "statusCode", duration_ms as "durationMs", tokens_used as "tokensUsed", key_id as "keyId",
            request_id as "requestId"
          from operation_log
          where app_id = ${scope.appId} and logged_at >= clock_timestamp() - make_interval(secs => ${hours * 3_600}::float8)${
            operationType === null ? empty : sql` and operation_type = ${operationType}`
          }${status === null ? empty : sql` and status = ${status}`}
          order by entry_id desc limit ${limit}`,
    );
  }

  /** Sums up the operations of a tenant for each key. The most recently used key comes first. */
  async usage(scope: Scope, hours: number): Promise<KeyUsage[]> {
    await this.flush();
    return run<KeyUsage>(
      this.dataSource,
      sql`select l.key_id as "keyId", k.name, k.end_user_id as "endUserId", count(*)::integer as operations,
            (count(*) filter (where l.operation_type = any(${QUESTIONS}::text[])))::integer as questions,
            sum(l.tokens_used)::float8 as "tokensUsed", max(l.logged_at) as "lastUsedAt"
          from operation_log l
          left join api_keys k on k.app_id = ${scope.appId} and k.jti::text = l.key_id
          where l.app_id = ${scope.appId}
            and l.logged_at >= clock_timestamp() - make_interval(secs => ${hours * 3_600}::float8)
          group by 1, 2, 3 order by max(l.logged_at) desc, 1`,
    );
  }

  /** Writes the queued entries. Keeps them in the queue if the database fails. */
  private flush(): Promise<void> {
    this.writing = this.writing.then(() => runDetached(() => this.write()));
    return this.writing;
  }

  private async write(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const batch = this.waiting.slice(0, BATCH);
        await this.insert(batch);
        // Removes exactly the written entries, because meanwhile other entries may have been appended and the oldest
        // entries dropped.
        const done = new Set(batch);
        this.waiting = this.waiting.filter((entry) => !done.has(entry));
      }
      if (this.lost > 0) this.logger.warn({ lost: this.lost }, 'entries of the operation log were lost');
      this.lost = 0;
    } catch (error) {
      this.logger.warn({ err: error, waiting: this.waiting.length }, 'cannot write the operation log');
    }
  }

  /** Inserts entries. Skips entries of tenants that were deleted. */
  private async insert(batch: readonly LogEntry[]): Promise<void> {
    await run(
      this.dataSource,
      sql`insert into operation_log (app_id, logged_at, operation_type, status, status_code, duration_ms, tokens_used,
            key_id, request_id)
          select r.app_id, r.logged_at, r.operation_type, r.status, r.status_code, r.duration_ms, r.tokens_used,
            r.key_id, r.request_id
          from unnest(${batch.map(({ appId }) => appId)}::text[],
            ${batch.map(({ loggedAt }) => loggedAt.toISOString())}::timestamptz[],
            ${batch.map(({ operationType }) => operationType)}::text[], ${batch.map(({ status }) => status)}::text[],
            ${batch.map(({ statusCode }) => statusCode)}::integer[],
            ${batch.map(({ durationMs }) => durationMs)}::float8[],
            ${batch.map(({ tokensUsed }) => tokensUsed)}::integer[], ${batch.map(({ keyId }) => keyId)}::text[],
            ${batch.map(({ requestId }) => requestId)}::text[])
            with ordinality as r(app_id, logged_at, operation_type, status, status_code, duration_ms, tokens_used,
              key_id, request_id, position)
          join apps a on a.app_id = r.app_id
          order by r.position`,
    );
    for (const { appId } of batch) this.written.add(appId);
  }

  private async pruneWhenDue(): Promise<void> {
    if (performance.now() < this.pruneAt) return;
    this.pruneAt = performance.now() + PRUNE_EVERY_MS;
    await this.prune();
  }

  /**
   * Deletes expired entries, and the oldest entries of tenants that have too many. Counts only the entries of tenants
   * that have new entries since the last run.
   */
  async prune(): Promise<void> {
    const tenants = [...this.written];
    this.written.clear();
    try {
      await run(
        this.dataSource,
        sql`delete from operation_log where logged_at < clock_timestamp() - make_interval(hours => ${KEPT_HOURS})`,
      );
      await run(
        this.dataSource,
        sql`delete from operation_log l
            using unnest(${tenants}::text[]) as t(app_id)
            where l.app_id = t.app_id and l.entry_id <= (
              select o.entry_id from operation_log o where o.app_id = t.app_id
              order by o.entry_id desc offset ${KEPT} limit 1)`,
      );
    } catch (error) {
      this.logger.warn({ err: error }, 'cannot prune the operation log; trying again later');
    }
  }
}

/** Operations that ask a question. */
export const QUESTIONS = ['query', 'post_v1_chat_completions', 'post_v1_responses'];

/** Maps method and route to an operation name. Clients of compatible services expect these names. */
const OPERATION_NAMES: Readonly<Record<string, string>> = {
  'POST /query': 'query',
  'POST /retrieve/chunks': 'retrieve_chunks',
  'POST /retrieve/chunks/grouped': 'retrieve_chunks_grouped',
  'POST /retrieve/docs': 'retrieve_docs',
  'POST /search/documents': 'search_documents',
  'POST /batch/documents': 'batch_get_documents',
  'POST /batch/chunks': 'batch_get_chunks',
  'POST /ingest/text': 'ingest_text',
  'POST /ingest/file': 'queue_ingest_file',
  'POST /ingest/files': 'queue_batch_ingest',
  'POST /ingest/requeue': 'requeue_ingestion_jobs',
  'POST /documents': 'list_documents',
  'POST /documents/list_docs': 'list_documents',
  'POST /documents/pages': 'extract_document_pages',
  'POST /documents/delete': 'delete_documents',
  'DELETE /documents/:id': 'delete_document',
  'POST /documents/:id/update_text': 'update_document_text',
  'POST /documents/:id/update_file': 'update_document_file',
  'POST /documents/:id/update_metadata': 'update_document_metadata',
  'POST /folders': 'create_folder',
  'DELETE /folders/:id': 'delete_folder',
  'POST /folders/:id/move': 'move_folder',
  'POST /folders/:id/documents/:id': 'add_document_to_folder',
  'DELETE /folders/:id/documents/:id': 'remove_document_from_folder',
};

/**
 * Returns the name of an operation from {@link OPERATION_NAMES}. If the route has no entry, the name consists of the
 * method and the fixed segments of the route, as in `post_keys`.
 *
 * @returns null for GET, HEAD and OPTIONS requests, which are not logged.
 */
export function operationTypeOf(method: string, route: string): string | null {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return null;
  const known = OPERATION_NAMES[`${method} ${route.replace(/:\w+/g, ':id')}`];
  const fixed = route.split('/').filter((part) => part !== '' && !part.startsWith(':') && part !== '*');
  return known ?? [method.toLowerCase(), ...fixed].join('_');
}
