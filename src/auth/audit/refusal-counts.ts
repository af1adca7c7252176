import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DEFAULT_TENANT } from '../scope.js';
import type { AuditEvent } from './audit-events.js';
import { AuditLog } from './audit-log.js';

export type RefusalEvent = Extract<AuditEvent, `${string}.refused`>;

/** A request that was refused because of who sent it. */
export interface Refusal {
  readonly event: RefusalEvent;
  /** Address or network of the client. */
  readonly address: string;
  /** A sentence of the program; never text of the request. */
  readonly reason: string;
  /** The key, if it is one of this installation. Refusals without a key are in the log of the tenant `default`. */
  readonly key?: { readonly appId: string; readonly id: string };
}

const MINUTE_MS = 60_000;

/** Maximum number of sources that are counted apart in a minute. Further sources are counted as one without address. */
const MAX_SOURCES = 1_000;

/** `keyId` of an entry for requests without a key of this installation. */
const NO_KEY = 'none';

interface Count {
  readonly refusal: Omit<Refusal, 'address'> & { readonly address: string | null };
  times: number;
}

/**
 * Counts refused keys and sign-ins, and writes them to the audit log: one entry for each source and minute with the
 * number of its refusals, so that a guesser cannot fill the log. The entries of a minute are written at its end, when
 * somebody reads the log, and at a stop. Each process counts separately. A process that is killed loses at most a minute.
 */
@Injectable()
export class RefusalCounts implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Audit');
  private counts = new Map<string, Count>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: AuditLog) {}

  count(refusal: Refusal): void {
    const { event, address, reason, key } = refusal;
    const source = JSON.stringify([event, key?.appId, key?.id, address, reason]);
    const known = this.counts.get(source);
    if (known !== undefined) known.times += 1;
    else if (this.counts.size < MAX_SOURCES) this.counts.set(source, { refusal, times: 1 });
    else this.countOther(event);
    this.timer ??= setTimeout(() => void this.flush(), MINUTE_MS).unref();
  }

  /** Writes what was counted. If the database is down, the counts stay for the next minute. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const taken = [...this.counts];
    this.counts = new Map();
    try {
      await this.log.recordAll(taken.map(([, { refusal, times }]) => entryOf(refusal, times)));
    } catch (error) {
      this.logger.error({ err: error }, 'cannot record refused keys; trying again in a minute');
      for (const [source, count] of taken) this.restore(source, count);
      this.timer ??= setTimeout(() => void this.flush(), MINUTE_MS).unref();
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  private countOther(event: RefusalEvent): void {
    const other = this.counts.get(event);
    if (other !== undefined) other.times += 1;
    else this.counts.set(event, { refusal: { event, address: null, reason: 'other addresses' }, times: 1 });
  }

  private restore(source: string, count: Count): void {
    const newer = this.counts.get(source);
    if (newer === undefined) this.counts.set(source, count);
    else newer.times += count.times;
  }
}

function entryOf({ event, address, reason, key }: Count['refusal'], times: number) {
  return {
    appId: key?.appId ?? DEFAULT_TENANT,
    keyId: key?.id ?? NO_KEY,
    person: null,
    address,
    action: event,
    subject: `${reason} count=${times}`,
    outcome: 'refused',
    statusCode: null,
    requestId: null,
  } as const;
}
