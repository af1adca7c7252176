import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../auth/scope.js';

/** Parameter decorator: the `Scope` of the request's key, as set by `AuthGuard`. */
export const CurrentScope = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  scopeOfRequest(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Returns the scope of a request to a route that requires a key. */
export function scopeOfRequest({ scope, url }: FastifyRequest): Scope {
  if (scope === null) throw new Error(`${url} is open and has no scope`);
  return scope;
}

/**
 * Parameter decorator: whether the response includes the search plan (`X-Explain: true`). Always false for a key without
 * the permission `admin`.
 */
export const ShowsPlan = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return request.headers['x-explain'] === 'true' && scopeOfRequest(request).permissions.has('admin');
});
