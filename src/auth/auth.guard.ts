import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Forbidden } from '../errors/index.js';
import { Authenticator } from './authenticator.js';
import type { Permission, Scope } from './scope.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Scope of the request's key; null before authentication and on open routes. */
    scope: Scope | null;
  }
}

/**
 * Access that a route requires: a permission, or any one of several. `open` routes need no key. `admin or loopback`
 * routes need no key from this machine.
 */
export type Access = Permission | readonly Permission[] | 'open' | typeof ADMIN_OR_LOOPBACK;

export const ADMIN_OR_LOOPBACK = 'admin or loopback';

/** Declares the access that a handler requires. `@Route`, which every handler has, includes it. */
export const RequiredAccess = Reflector.createDecorator<Access>();

/** Declares that browsers' tokens may use a handler. Its service must keep to `scope.token`. */
export const OpenToTokens = Reflector.createDecorator<boolean | undefined>();

/** Admits requests whose key is valid and has the permission that the route declares. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.get(RequiredAccess, context.getHandler());
    const takesTokens = this.reflector.get(OpenToTokens, context.getHandler()) ?? false;
    await this.admit(context.switchToHttp().getRequest<FastifyRequest>(), access, takesTokens);
    return true;
  }

  /**
   * Authenticates the key of a request once and stores its scope on the request.
   * @throws Unauthorized without a valid key, TooManyRequests after too many wrong keys, Forbidden without the permission.
   */
  async admit(request: FastifyRequest, access: Access, takesTokens = false): Promise<void> {
    if (access === 'open') return;
    if (access === ADMIN_OR_LOOPBACK) {
      if (!isFromThisMachine(request)) await this.admit(request, 'admin');
      return;
    }
    request.scope ??= await this.authenticator.authenticate(request.headers.authorization, request.ip);
    const { permissions, token } = request.scope;
    if (token !== undefined && !takesTokens) {
      throw new Forbidden('A token of a browser reaches searches and answers only');
    }
    const wanted = [access].flat();
    if (!wanted.some((permission) => permissions.has(permission))) {
      throw new Forbidden(
        `The API key lacks the permission ${wanted.map((name) => `"${name}"`).join(' or ')}`,
      );
    }
  }
}

/** Headers in which proxies name the client. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Tells whether a program on this machine sent the request itself. The address of the connection decides, because a
 * client cannot forge it. A local proxy also connects from this machine, so any forwarding header makes the result false.
 */
export function isFromThisMachine({ socket, headers }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined || FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return ipaddr.process(remoteAddress).range() === 'loopback';
}
