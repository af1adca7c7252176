import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { scopeOfRequest } from './current-scope.decorator.js';

/**
 * Parameter of a controller method: whether the request asks how it was answered (`X-Explain: true`) and its key may
 * know (scope `admin`). Without the scope the header has no effect.
 */
export const Explain = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return request.headers['x-explain'] === 'true' && scopeOfRequest(request).permissions.has('admin');
});
