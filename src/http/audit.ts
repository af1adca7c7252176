import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuditLog } from '../auth/audit/audit-log.js';
import type { AuditOutcome } from '../auth/audit/audit-entry.entity.js';
import type { AuditedCall } from './audit.types.js';
import { rulesOf } from './routes.js';

/**
 * Records requests to audited routes before the response is sent. If the entry cannot be stored, the request fails.
 * Requests without a valid key are not recorded here, but only in the log of the service.
 */
export function installAudit(fastify: FastifyInstance, log: AuditLog): void {
  const recorded = new WeakSet<FastifyRequest>();
  fastify.addHook('onSend', async (request, reply, payload) => {
    const rule = rulesOf(request)?.audit;
    const { scope } = request;
    if (rule === undefined || scope === null || recorded.has(request)) return payload;
    recorded.add(request); // if this hook fails, the hook also runs for the error response
    const { statusCode } = reply;
    const call: AuditedCall = {
      params: membersOf(request.params),
      query: membersOf(request.query),
      body: membersOf(request.body),
      answer: statusCode < 400 && typeof payload === 'string' ? membersOf(JSON.parse(payload)) : {},
    };
    if (rule.when?.(call) === false) return payload;
    const subject = rule.subject(call).filter((part) => part !== undefined && part !== null);
    await log.record({
      appId: scope.appId,
      keyId: scope.keyId,
      person: scope.endUserId,
      address: request.ip,
      action: rule.action,
      subject: subject.length === 0 ? null : subject.map(String).join(' '),
      outcome: outcomeOf(statusCode),
      statusCode,
      requestId: request.id,
    });
    return payload;
  });
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function outcomeOf(statusCode: number): AuditOutcome {
  if (statusCode < 400) return 'done';
  return statusCode < 500 ? 'refused' : 'failed';
}
