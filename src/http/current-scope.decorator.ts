import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { scopeOfRequest } from './authentication.js';

/** Parameter of a controller method: the `Scope` of the key that made the request. */
export const CurrentScope = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  scopeOfRequest(context.switchToHttp().getRequest<FastifyRequest>()),
);
