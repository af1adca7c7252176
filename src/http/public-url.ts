import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { localUrl } from '../config/local-url.js';
import { SETTINGS, type Settings } from '../config/settings.js';

/** Addresses of this service as its clients reach it. */
@Injectable()
export class PublicUrl {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly host: HttpAdapterHost<FastifyAdapter>,
  ) {}

  /** @param path with a leading slash; it may carry a query string. */
  of(path: string): string {
    return this.base().replace(/\/+$/, '') + path;
  }

  private base(): string {
    const { PUBLIC_URL, HOST, PORT } = this.settings;
    if (PUBLIC_URL !== undefined) return PUBLIC_URL;
    return localUrl({ HOST, PORT: PORT === 0 ? this.takenPort() : PORT });
  }

  /** With PORT=0 the system chose one. */
  private takenPort(): number {
    const address = this.host.httpAdapter.getHttpServer().address() as AddressInfo | null;
    if (address === null) throw new Error('the service does not listen yet');
    return address.port;
  }
}
