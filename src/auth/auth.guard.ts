import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Forbidden } from '../errors/index.js';
import { Authenticator } from './authenticator.js';
import type { Permission, Scope } from './scope.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the key that the request came with; null until the key is known good, and on open routes. */
    scope: Scope | null;
  }
}

/**
 * What a route asks of a key: a permission, or one of several. `open` routes need no key, and `admin or loopback` ones
 * none from this machine.
 */
export type Access = Permission | readonly Permission[] | 'open' | typeof ADMIN_OR_LOOPBACK;

export const ADMIN_OR_LOOPBACK = 'admin or loopback';

/** What the handler of a route asks of a key. Part of `@Route`, which every route has. */
export const RequiredAccess = Reflector.createDecorator<Access>();

/** Lets a request through whose key is good and has the permission that its route declares. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.get(RequiredAccess, context.getHandler());
    await this.admit(context.switchToHttp().getRequest<FastifyRequest>(), access);
    return true;
  }

  /**
   * Looks the key of a request up once, and keeps its scope on the request.
   * @throws Unauthorized without a good key, TooManyRequests after too many wrong ones, Forbidden when the key lacks the permission.
   */
  async admit(request: FastifyRequest, access: Access): Promise<void> {
    if (access === 'open') return;
    if (access === ADMIN_OR_LOOPBACK) {
      if (!isFromThisMachine(request)) await this.admit(request, 'admin');
      return;
    }
    request.scope ??= await this.authenticator.authenticate(request.headers.authorization, request.ip);
    const { permissions } = request.scope;
    const wanted = [access].flat();
    if (!wanted.some((permission) => permissions.has(permission))) {
      throw new Forbidden(`The API key lacks the scope ${wanted.map((name) => `"${name}"`).join(' or ')}`);
    }
  }
}

/** Headers by which proxies say for whom they ask. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Whether a program on this machine asks for itself. The address of the connection decides, which a caller cannot choose.
 * A proxy on this machine connects from here too; what it says about its client is believed only where it closes a door.
 */
export function isFromThisMachine({ socket, headers }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined || FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return ipaddr.process(remoteAddress).range() === 'loopback';
}
