import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../auth/scope.js';

/** Parameter of a controller method: the `Scope` of the key that made the request, as the `AuthGuard` left it. */
export const CurrentScope = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  scopeOfRequest(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The scope of a request to a route that is not open. */
export function scopeOfRequest({ scope, url }: FastifyRequest): Scope {
  if (scope === null) throw new Error(`${url} is open and has no scope`);
  return scope;
}

/**
 * Parameter of a controller method: whether the request asks how it was answered (`X-Explain: true`) and its key may
 * know (scope `admin`). Without the scope the header has no effect.
 */
export const Explain = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return request.headers['x-explain'] === 'true' && scopeOfRequest(request).permissions.has('admin');
});
