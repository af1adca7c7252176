import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { scopeOfRequest } from './current-scope.decorator.js';

/**
 * Parameter of a controller method: whether the request asks how it was answered (`X-Explain: true`) and its key may
 * know (scope `admin`). Without the scope the header has no effect.
 */
export const Explain = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return request.headers['x-explain'] === 'true' && scopeOfRequest(request).permissions.has('admin');
});

/** Adds the path that a search took to `Server-Timing`, with what it counted. */
export function setServerTimingPlan(
  reply: FastifyReply,
  { path, matchingChunks }: { readonly path: string; readonly matchingChunks: number },
): void {
  const timings = reply.getHeader('server-timing');
  const plan = `plan;desc="${path}, ${matchingChunks} matching"`;
  void reply.header('server-timing', timings === undefined ? plan : `${String(timings)}, ${plan}`);
}
