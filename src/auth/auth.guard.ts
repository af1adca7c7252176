import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Forbidden } from '../errors/index.js';
import { Authenticator } from './authenticator.js';
import { credentialsOf } from './credentials.js';
import type { Permission, Scope } from './scope.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Scope of the request's key; null before authentication and on open routes. */
    scope: Scope | null;
    /** Whether the guard has admitted the request. */
    isAdmitted: boolean;
  }
}

/**
 * Access that a route requires: a permission, or any one of several permissions. `open` routes need no key. `admin or
 * loopback` routes need an admin key unless the request comes from this machine.
 */
export type Access = Permission | readonly Permission[] | 'open' | typeof ADMIN_OR_LOOPBACK;

export const ADMIN_OR_LOOPBACK = 'admin or loopback';

/** Declares the access that a handler requires. Handlers use `@Route`, which applies this decorator. */
export const RequiredAccess = Reflector.createDecorator<Access>();

/**
 * Declares that a handler accepts browser tokens. The service that the handler calls must not use documents outside
 * `scope.token`.
 */
export const OpenToTokens = Reflector.createDecorator<boolean | undefined>();

/** Admits requests whose key is valid and has the permission that the route declares. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  /** Decides only if {@link admit} was not called before the body was read. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.isAdmitted) return true;
    const access = this.reflector.get(RequiredAccess, context.getHandler());
    const takesTokens = this.reflector.get(OpenToTokens, context.getHandler()) ?? false;
    await this.admit(request, access, takesTokens);
    return true;
  }

  /**
   * Authenticates the key of a request, checks its permissions, and stores its scope on the request.
   * @throws Unauthorized without a valid key, TooManyRequests after too many wrong keys, Forbidden without the
   *   permission.
   */
  async admit(request: FastifyRequest, access: Access, takesTokens = false): Promise<void> {
    const isOpen = access === 'open' || (access === ADMIN_OR_LOOPBACK && isFromThisMachine(request));
    if (!isOpen) {
      request.scope = await this.authenticator.authenticate(credentialsOf(request));
      requirePermission(request.scope, access === ADMIN_OR_LOOPBACK ? 'admin' : access, takesTokens);
    }
    request.isAdmitted = true;
  }
}

function requirePermission(
  { permissions, token }: Scope,
  access: Permission | readonly Permission[],
  takesTokens: boolean,
): void {
  if (token !== undefined && !takesTokens) {
    throw new Forbidden('A browser token can be used for searches and answers only');
  }
  const wanted = [access].flat();
  if (wanted.some((permission) => permissions.has(permission))) return;
  throw new Forbidden(`The API key lacks the permission ${wanted.map((name) => `"${name}"`).join(' or ')}`);
}

/** Headers by which proxies reveal that they forward a request. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Tells whether a program on this machine, other than a proxy, sent the request. The address of the connection decides,
 * because a client cannot forge it. Any forwarding header makes the result false, because it shows that a proxy on this
 * machine forwards the request.
 */
export function isFromThisMachine({ socket, headers }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined || FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return ipaddr.process(remoteAddress).range() === 'loopback';
}
