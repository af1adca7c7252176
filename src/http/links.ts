import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { localUrl } from '../config/local-url.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { SigningSecret } from '../auth/signing-secret.js';
import type { Scope } from '../auth/scope.js';
import { shardOf } from '../auth/tenant-shards.js';
import { WrongKeys } from '../auth/wrong-keys.js';
import { Forbidden } from '../errors/index.js';
import { type FileGrant, signFile, verifyFile } from '../storage/signed-file.js';

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

export const FILES_PATH = 'files';

/** Links to files of documents that work without a key until they expire, or the document has another file. */
@Injectable()
export class FileLinks {
  private readonly signingKey: Uint8Array;

  constructor(
    secret: SigningSecret,
    private readonly publicUrl: PublicUrl,
    private readonly wrongKeys: WrongKeys,
  ) {
    this.signingKey = secret.derive('download-url');
  }

  /** @param seconds for which the link works */
  linkTo(scope: Scope, documentId: string, fileId: string, seconds: number): string {
    const { appId } = shardOf(scope, documentId);
    const expiresAt = Math.floor(Date.now() / 1_000) + seconds;
    const token = signFile({ appId, documentId, fileId, expiresAt }, this.signingKey);
    return this.publicUrl.of(`/${FILES_PATH}?token=${token}`);
  }

  /**
   * @param address of the client
   * @throws Forbidden, in the same words whatever is wrong with the token; TooManyRequests after too many wrong ones.
   */
  open(token: string, address: string): FileGrant {
    const grant = verifyFile(token, this.signingKey);
    if (grant !== undefined) return grant;
    this.wrongKeys.count(address);
    throw new Forbidden('The link is not valid or has expired');
  }
}
