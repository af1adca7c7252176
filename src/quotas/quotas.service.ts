import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { tenantOf, type Scope } from '../auth/scope.js';
import { QUOTA_KINDS, STOCKS, type Flow, type QuotaKind, type Stock } from '../config/quotas.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { run, type Queryable } from '../database/run.js';
import { PayloadTooLarge, QuotaUsedUp } from '../errors/index.js';
import { countStock, countUses, subjectOf } from './use-counts.js';

/** Who is counted: the tenant, or one of its people. */
type Level = 'tenant' | 'person';

/** A bound of a quota for a caller. */
interface Bound {
  readonly level: Level;
  readonly appId: string;
  readonly person: string | null;
  readonly kind: QuotaKind;
  readonly most: number;
  /** Whether the caller may know how much is used. A person may not know how much the tenant uses, because it counts what others keep private. */
  readonly isTold: boolean;
}

/** Who adds or uses something. */
export type Counted = Pick<Scope, 'appId' | 'endUserId' | 'allowance'>;

export interface QuotaUse {
  readonly level: Level;
  readonly kind: QuotaKind;
  readonly used: number;
  /** null: not limited. */
  readonly most: number | null;
  readonly endsAt: Date | null;
}

/**
 * Counts what tenants and people use of their quotas. Every door that adds something calls it.
 *
 * A transaction that adds documents, bytes, folders, stores or chats counts them on one row, which it locks until it
 * ends: two requests at once do not pass the bound. Deletions are not counted. A count is therefore an upper bound. Only
 * when it passes the quota are the rows counted anew, and the request is refused if they do too.
 */
@Injectable()
export class Quotas implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'QUOTA_TENANT' | 'QUOTA_PERSON'>,
  ) {}

  /** Forgets the counts of stocks, because nothing was counted while the settings had no bound. */
  async onApplicationBootstrap(): Promise<void> {
    await run(this.dataSource, sql`delete from quota_counts where kind = any(${STOCKS}::text[])`);
  }

  /** Whether something of this kind is limited for the caller. */
  isLimited(scope: Counted, kind: QuotaKind): boolean {
    return this.boundsOf(scope, kind).length > 0;
  }

  /**
   * Counts what the transaction of `manager` has added.
   * @throws PayloadTooLarge if it is more than the quota allows
   */
  async take(manager: Queryable, scope: Counted, kind: Stock, added: number): Promise<void> {
    if (added <= 0) return;
    for (const bound of this.boundsOf(scope, kind)) {
      const { appId, person } = bound;
      const subject = subjectOf(person);
      const [row] = await run<{ used: number; isNew: boolean }>(
        manager,
        sql`insert into quota_counts as q (app_id, subject, kind, used) values (${appId}, ${subject}, ${kind}, ${added}::bigint)
            on conflict (app_id, subject, kind) do update set used = q.used + excluded.used
            returning used::float8 as used, xmax = 0 as "isNew"`,
      );
      if (row === undefined) throw new Error('the quota was not counted');
      if (!row.isNew && row.used <= bound.most) continue;
      const used = await countStock(manager, appId, person, kind);
      if (used > bound.most) throw fullStock(bound, used - added, added);
      await run(
        manager,
        sql`update quota_counts set used = ${used}::bigint
            where app_id = ${appId} and subject = ${subject} and kind = ${kind}`,
      );
    }
  }

  /**
   * Checks, before work that ends with {@link take}, that one more may be added. Changes no count.
   * @throws PayloadTooLarge
   */
  async requireRoom(scope: Counted, kind: Stock, added = 1): Promise<void> {
    for (const bound of this.boundsOf(scope, kind)) {
      const { appId, person, most } = bound;
      const [row] = await run<{ used: number }>(
        this.dataSource,
        sql`select used::float8 as used from quota_counts
            where app_id = ${appId} and subject = ${subjectOf(person)} and kind = ${kind}`,
      );
      if (row !== undefined && row.used + added <= most) continue;
      const used = await countStock(this.dataSource, appId, person, kind);
      if (used + added > most) throw fullStock(bound, used, added);
    }
  }

  /**
   * Counts a use of this day, before the work. Must not be called within a transaction.
   * @returns a function that corrects the count, once the real amount is known
   * @throws QuotaUsedUp if it is more than the quota of the day allows
   */
  async use(scope: Counted, kind: Flow, amount: number): Promise<(real: number) => Promise<void>> {
    const counted: Bound[] = [];
    const add = async (more: number): Promise<void> => {
      for (const bound of counted) await this.addFlow(bound, more);
    };
    for (const bound of this.boundsOf(scope, kind)) {
      const { used, secondsLeft } = await this.addFlow(bound, amount);
      counted.push(bound);
      if (used <= bound.most) continue;
      await add(-amount);
      throw usedUp(bound, used - amount, amount, secondsLeft);
    }
    return (real) => add(real - amount);
  }

  private async addFlow(
    { appId, person, kind }: Bound,
    amount: number,
  ): Promise<{ readonly used: number; readonly secondsLeft: number }> {
    const [row] = await run<{ used: number; secondsLeft: number }>(
      this.dataSource,
      sql`insert into quota_counts as q (app_id, subject, kind, used, ends_at)
          values (${appId}, ${subjectOf(person)}, ${kind}, greatest(0, ${amount}::bigint),
            date_trunc('day', statement_timestamp() at time zone 'utc') at time zone 'utc' + interval '1 day')
          on conflict (app_id, subject, kind) do update set
            used = case when q.ends_at <= statement_timestamp() then excluded.used
              else greatest(0, q.used + ${amount}::bigint) end,
            ends_at = greatest(q.ends_at, excluded.ends_at)
          returning used::float8 as used, extract(epoch from ends_at - statement_timestamp())::float8 as "secondsLeft"`,
    );
    if (row === undefined) throw new Error('the quota was not counted');
    return row;
  }

  /** Returns what the caller uses: of the tenant, if the caller reads everything, and of the caller's person. */
  async usage(scope: Scope): Promise<QuotaUse[]> {
    const people = [
      ...(scope.reach === 'all' ? [null] : []),
      ...(scope.endUserId === null ? [] : [scope.endUserId]),
    ];
    const tenant = { appId: tenantOf(scope.appId), shards: scope.shards };
    const uses = await countUses(this.dataSource, tenant, people, QUOTA_KINDS);
    return uses.map(({ person, kind, used, endsAt }) => {
      const level = person === null ? 'tenant' : 'person';
      const most = this.boundsOf(scope, kind).find((bound) => bound.level === level)?.most ?? null;
      return { level, kind, used, most, endsAt };
    });
  }

  /**
   * The quotas of a key replace those of its person. Without a person they restrict the calls of the key further than
   * the tenant's.
   */
  private boundsOf({ appId, endUserId, allowance }: Counted, kind: QuotaKind): Bound[] {
    const own = allowance?.quotas?.[kind];
    const ofTenant = least(this.settings.QUOTA_TENANT[kind], endUserId === null ? own : undefined);
    const ofPerson = endUserId === null ? undefined : (own ?? this.settings.QUOTA_PERSON[kind]);
    const tenant = { appId: tenantOf(appId), kind };
    return [
      ...(ofTenant === undefined
        ? []
        : [
            { ...tenant, level: 'tenant' as const, person: null, most: ofTenant, isTold: endUserId === null },
          ]),
      ...(ofPerson === undefined
        ? []
        : [{ ...tenant, level: 'person' as const, person: endUserId, most: ofPerson, isTold: true }]),
    ];
  }
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

/** Names of the kinds in messages. */
const NAMES: Readonly<Record<QuotaKind, string>> = {
  documents: 'documents',
  bytes: 'bytes',
  folders: 'folders',
  stores: 'vector stores',
  chats: 'chats, conversations and responses',
  webhooks: 'webhooks',
  pages: 'recognised pages a day',
  model_tokens: 'tokens of language models a day',
  browser_tokens: 'browser tokens a day',
};

function sentence({ level, kind, most, isTold }: Bound, used: number, added: number): string {
  const whose = level === 'person' ? 'This end user' : 'The application';
  const left = isTold ? `${Math.max(0, most - used)} left, ${added} requested` : 'not enough left';
  return `${whose} may have ${most} ${NAMES[kind]}: ${left}`;
}

function fullStock(bound: Bound, used: number, added: number): PayloadTooLarge {
  return new PayloadTooLarge(sentence(bound, used, added), undefined, {
    code: 'quota_exceeded',
    isLasting: true,
  });
}

function usedUp(bound: Bound, used: number, added: number, secondsLeft: number): QuotaUsedUp {
  return new QuotaUsedUp(sentence(bound, used, added), Math.max(1, secondsLeft), { code: 'quota_exceeded' });
}
