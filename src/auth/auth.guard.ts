import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Forbidden } from '../errors/index.js';
import { Authenticator } from './authenticator.js';
import { credentialsOf } from './credentials.js';
import { isOperator, type Permission, type Scope } from './scope.js';
import type { TokenPolicy, TokenUse } from './token-policy.js';

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
 * loopback` routes need an admin key of the operator, unless the request comes from this machine: they count what belongs to
 * everybody, and name tenants.
 */
export type Access = Permission | readonly Permission[] | 'open' | typeof ADMIN_OR_LOOPBACK;

export const ADMIN_OR_LOOPBACK = 'admin or loopback';

/** Declares the access that a handler requires. Handlers use `@Route`, which applies this decorator. */
export const RequiredAccess = Reflector.createDecorator<Access>();

/**
 * Declares the uses of tokens that reach a handler; one of them suffices. The service that the handler calls must not use
 * documents outside `scope.token`.
 */
export const ForTokenUses = Reflector.createDecorator<readonly TokenUse[]>();

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
    const uses = this.reflector.get(ForTokenUses, context.getHandler());
    await this.admit(request, access, uses);
    return true;
  }

  /**
   * Authenticates the key of a request, checks its permissions, and stores its scope on the request.
   * @throws Unauthorized without a valid key, TooManyRequests after too many wrong keys, Forbidden without the
   *   permission.
   */
  async admit(request: FastifyRequest, access: Access, uses: readonly TokenUse[] = []): Promise<void> {
    const isOpen = access === 'open' || (access === ADMIN_OR_LOOPBACK && isFromThisMachine(request));
    if (!isOpen) {
      const scope = await this.authenticator.authenticate(credentialsOf(request));
      request.scope = { ...scope, touched: [] };
      const countsAll = access === ADMIN_OR_LOOPBACK;
      requirePermission(scope, countsAll ? 'admin' : access, uses);
      if (countsAll && !isOperator(scope)) {
        throw new Forbidden('Only an admin key of the default tenant without an end user may do this');
      }
    }
    request.isAdmitted = true;
  }
}

function requirePermission(
  { permissions, policy }: Scope,
  access: Permission | readonly Permission[],
  uses: readonly TokenUse[],
): void {
  if (policy !== undefined) requireUse(policy, uses);
  const wanted = [access].flat();
  if (wanted.some((permission) => permissions.has(permission))) return;
  throw new Forbidden(`The API key lacks the permission ${wanted.map((name) => `"${name}"`).join(' or ')}`);
}

/** @throws Forbidden for a token that is for none of the uses */
function requireUse(policy: TokenPolicy, uses: readonly TokenUse[]): void {
  if (uses.some((use) => policy.uses.has(use))) return;
  throw new Forbidden(
    uses.length === 0
      ? 'This route accepts no browser tokens'
      : `The browser token lacks the scope ${uses.map((use) => `"${use}"`).join(' or ')}`,
  );
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
