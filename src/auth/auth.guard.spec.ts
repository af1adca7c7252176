import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Unauthorized } from '../errors/index.js';
import { AuthGuard, RequiredAccess } from './auth.guard.js';
import type { Authenticator } from './authenticator.js';
import type { Credentials } from './credentials.js';
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
  const authenticate = jest.fn(({ authorization }: Credentials) =>
    authorization === 'good'
      ? Promise.resolve(scopeOf('acme', ['read'], 'k'))
      : Promise.reject(new Unauthorized('no')),
  );
  const reflector = new Reflector();
  const guard = new AuthGuard(reflector, { authenticate } as unknown as Authenticator);
  beforeEach(() => authenticate.mockClear());

  function request(authorization?: string): FastifyRequest {
    return { headers: { authorization }, scope: null, isAdmitted: false } as unknown as FastifyRequest;
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

  it('admits this machine, or the operator, to what counts everything', async () => {
    const admitted = (
      remoteAddress: string,
      endUserId: string | null,
      tenant = 'default',
    ): Promise<boolean> => {
      const scope = scopeOf(tenant, ['admin'], 'k', { endUserId });
      const admin = { authenticate: () => Promise.resolve(scope) } as unknown as Authenticator;
      const to = { ...request('admin'), socket: { remoteAddress } } as unknown as FastifyRequest;
      return new AuthGuard(new Reflector(), admin).canActivate(context('adminOrLoopback', to));
    };
    await expect(admitted('127.0.0.1', 'ada')).resolves.toBe(true);
    await expect(admitted('10.0.0.7', null)).resolves.toBe(true);
    await expect(admitted('10.0.0.7', 'ada')).rejects.toMatchObject({ status: 403 });
    await expect(admitted('10.0.0.7', null, 'acme')).rejects.toMatchObject({ status: 403 });
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

  it('decides once for a request that was admitted before its body was read', async () => {
    const readRules = jest.spyOn(reflector, 'get').mockClear();
    const to = request('good');
    await guard.admit(to, 'read');
    await expect(guard.canActivate(context('read', to))).resolves.toBe(true);
    expect(authenticate).toHaveBeenCalledTimes(1);
    expect(readRules).not.toHaveBeenCalled();
  });

  it('decides again for a request that was refused', async () => {
    const to = request('good');
    await expect(guard.admit(to, 'write')).rejects.toMatchObject({ status: 403 });
    await expect(guard.canActivate(context('write', to))).rejects.toMatchObject({ status: 403 });
  });
});
