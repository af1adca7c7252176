import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { AuditEvent } from '../auth/audit/audit-events.js';
import type { AuditLog } from '../auth/audit/audit-log.js';
import type { AuditOutcome } from '../auth/audit/audit-entry.entity.js';
import type { Scope, Touched } from '../auth/scope.js';
import type { AuditedCall } from './audit.types.js';
import { isRepetition } from './idempotency/idempotency.js';
import { rulesOf } from './routes.js';

interface Event {
  readonly action: AuditEvent;
  readonly subject: readonly string[];
}

/** Time in which the same key reading the same things is recorded once, in milliseconds. */
const SAME_READING_MS = 60_000;

/** Maximum number of readings that are known at once. Forgetting one costs a further entry. */
const MAX_READINGS = 10_000;

/**
 * Records requests in the audit log before the response is sent: those to routes with a rule, and those of an
 * administrator to a private thing of a person. If the entry cannot be stored, the request fails. Requests without a
 * valid key are only counted (`auth/audit/refusal-counts.ts`).
 */
export function installAudit(fastify: FastifyInstance, log: AuditLog): void {
  const recorded = new WeakSet<FastifyRequest>();
  const readings = new LRUCache<string, true>({ max: MAX_READINGS, ttl: SAME_READING_MS });

  fastify.addHook('onSend', async (request, reply, payload) => {
    const { scope } = request;
    if (scope === null || recorded.has(request) || isRepetition(request)) return payload;
    const event = eventOf(request, reply, payload, scope.touched ?? []);
    if (event === undefined || isKnown(scope, event)) return payload;
    recorded.add(request); // if this hook fails, the hook also runs for the error response
    await log.record({
      appId: scope.appId,
      keyId: scope.keyId,
      person: scope.endUserId,
      address: request.ip,
      action: event.action,
      subject: event.subject.length === 0 ? null : event.subject.join(' '),
      outcome: outcomeOf(reply.statusCode),
      statusCode: reply.statusCode,
      requestId: request.id,
    });
    return payload;
  });

  function isKnown({ appId, keyId }: Scope, { action, subject }: Event): boolean {
    if (!action.endsWith('.read')) return false;
    const reading = JSON.stringify([appId, keyId, action, subject]);
    if (readings.has(reading)) return true;
    readings.set(reading, true);
    return false;
  }
}

/** Returns what a request did; undefined if the log does not record it. */
function eventOf(
  request: FastifyRequest,
  { statusCode }: FastifyReply,
  payload: unknown,
  touched: readonly Touched[],
): Event | undefined {
  const rules = rulesOf(request);
  const rule = rules?.audit;
  const call: AuditedCall = {
    params: membersOf(request.params),
    query: membersOf(request.query),
    body: membersOf(request.body),
    get answer() {
      return statusCode < 400 && typeof payload === 'string' ? membersOf(JSON.parse(payload)) : {};
    },
  };
  if (rule !== undefined && rule.when?.(call) !== false) {
    const subject = rule.subject(call).filter((part) => part !== undefined && part !== null);
    return { action: rule.action, subject: [...subject.map(String), ...personsIn(touched)] };
  }
  const [first] = touched;
  if (first === undefined) return undefined;
  const does = request.method === 'GET' || rules?.access === 'read' ? 'read' : 'change';
  return {
    action: `${first.kind}.${does}`,
    subject: touched.map(({ id, endUserId }) => `${id} person=${endUserId}`),
  };
}

function personsIn(touched: readonly Touched[]): string[] {
  return [...new Set(touched.map(({ endUserId }) => `person=${endUserId}`))];
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function outcomeOf(statusCode: number): AuditOutcome {
  if (statusCode < 400) return 'done';
  return statusCode < 500 ? 'refused' : 'failed';
}
