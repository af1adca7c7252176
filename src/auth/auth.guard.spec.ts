import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Unauthorized } from '../errors/index.js';
import { AuthGuard, RequiredAccess } from './auth.guard.js';
import type { Authenticator } from './authenticator.js';
import { scopeOf } from './scope.js';

class Routes {
  @RequiredAccess('read')
  read(): void {
    return;
  }

  @RequiredAccess('write')
  write(): void {
    return;
  }

  @RequiredAccess(['read', 'query'])
  readOrQuery(): void {
    return;
  }

  @RequiredAccess(['query', 'write'])
  queryOrWrite(): void {
    return;
  }

  @RequiredAccess('admin or loopback')
  adminOrLoopback(): void {
    return;
  }

  @RequiredAccess('open')
  open(): void {
    return;
  }

  undeclared(): void {
    return;
  }
}

describe('AuthGuard', () => {
  const authenticate = jest.fn((key: string | undefined) =>
    key === 'good' ? Promise.resolve(scopeOf('acme', ['read'], 'k')) : Promise.reject(new Unauthorized('no')),
  );
  const guard = new AuthGuard(new Reflector(), { authenticate } as unknown as Authenticator);
  beforeEach(() => authenticate.mockClear());

  function request(authorization?: string): FastifyRequest {
    return { headers: { authorization }, scope: null } as unknown as FastifyRequest;
  }

  function context(route: keyof Routes, to: FastifyRequest): ExecutionContext {
    const handler = Routes.prototype[route];
    const http = { getRequest: () => to };
    return { getHandler: () => handler, switchToHttp: () => http } as unknown as ExecutionContext;
  }

  it('admits a key with the permission and sets the scope of the request', async () => {
    const to = request('good');
    await expect(guard.canActivate(context('read', to))).resolves.toBe(true);
    expect(to.scope).toMatchObject({ appId: 'acme', keyId: 'k' });
  });

  it('rejects a key without the permission and a request without a key', async () => {
    await expect(guard.canActivate(context('write', request('good')))).rejects.toMatchObject({
      status: 403,
      message: 'The API key lacks the permission "write"',
    });
    await expect(guard.canActivate(context('read', request()))).rejects.toMatchObject({ status: 401 });
  });

  it('accepts any one of several permissions', async () => {
    await expect(guard.canActivate(context('readOrQuery', request('good')))).resolves.toBe(true);
    await expect(guard.canActivate(context('queryOrWrite', request('good')))).rejects.toMatchObject({
      status: 403,
      message: 'The API key lacks the permission "query" or "write"',
    });
  });

  it('admits this machine, or an administrator without a person, to what counts everything', async () => {
    const from = (remoteAddress: string, endUserId: string | null): FastifyRequest => {
      const scope = scopeOf('acme', ['admin'], 'k', { endUserId });
      return { headers: {}, socket: { remoteAddress }, scope } as unknown as FastifyRequest;
    };
    const admitted = (to: FastifyRequest): Promise<boolean> =>
      guard.canActivate(context('adminOrLoopback', to));
    await expect(admitted(from('127.0.0.1', 'ada'))).resolves.toBe(true);
    await expect(admitted(from('10.0.0.7', null))).resolves.toBe(true);
    await expect(admitted(from('10.0.0.7', 'ada'))).rejects.toMatchObject({ status: 403 });
  });

  it('requires no key on open routes', async () => {
    await expect(guard.canActivate(context('open', request()))).resolves.toBe(true);
    expect(authenticate).not.toHaveBeenCalled();
  });

  it('rejects every request to a handler without declared access', async () => {
    await expect(guard.canActivate(context('undeclared', request('good')))).rejects.toMatchObject({
      status: 403,
    });
  });

  it('authenticates the key once per request', async () => {
    const to = request('good');
    await guard.admit(to, 'read');
    await guard.canActivate(context('read', to));
    expect(authenticate).toHaveBeenCalledTimes(1);
  });
});
