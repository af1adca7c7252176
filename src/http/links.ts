import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { localUrl } from '../config/local-url.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { SigningSecret } from '../auth/signing-secret.js';
import { type Scope, shardOf } from '../auth/scope.js';
import { WrongKeys } from '../auth/wrong-keys.js';
import { Forbidden } from '../errors/index.js';
import { type FileGrant, signFile, verifyFile } from '../storage/signed-file.js';

/** Builds public URLs of this service. */
@Injectable()
export class PublicUrl {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly host: HttpAdapterHost<FastifyAdapter>,
  ) {}

  /** Returns the URL of a path. @param path starts with a slash and may contain a query string */
  of(path: string): string {
    return this.base().replace(/\/+$/, '') + path;
  }

  private base(): string {
    const { PUBLIC_URL, HOST, PORT } = this.settings;
    if (PUBLIC_URL !== undefined) return PUBLIC_URL;
    return localUrl({ HOST, PORT: PORT === 0 ? this.boundPort() : PORT });
  }

  /** Returns the port that the operating system has chosen for PORT=0. */
  private boundPort(): number {
    const address = this.host.httpAdapter.getHttpServer().address() as AddressInfo | null;
    if (address === null) throw new Error('the service is not listening yet');
    return address.port;
  }
}

export const FILES_PATH = 'files';

/** Makes links to document files. A link works without a key, until it expires or the file is replaced. */
@Injectable()
export class FileLinks {
  private readonly signingKey: Uint8Array;
  private readonly verifyingKeys: readonly Uint8Array[];

  constructor(
    secret: SigningSecret,
    private readonly publicUrl: PublicUrl,
    private readonly wrongKeys: WrongKeys,
  ) {
    this.signingKey = secret.derive('download-url');
    this.verifyingKeys = secret.deriveAll('download-url');
  }

  /** @param seconds lifetime of the link */
  linkTo(scope: Scope, documentId: string, fileId: string, seconds: number): string {
    const { appId } = shardOf(scope, documentId);
    const expiresAt = Math.floor(Date.now() / 1_000) + seconds;
    const token = signFile({ appId, documentId, fileId, expiresAt }, this.signingKey);
    return this.publicUrl.of(`/${FILES_PATH}?token=${token}`);
  }

  /**
   * @param address of the client
   * @throws Forbidden with the same message for every invalid token; TooManyRequests after too many invalid tokens.
   */
  open(token: string, address: string): FileGrant {
    for (const key of this.verifyingKeys) {
      const grant = verifyFile(token, key);
      if (grant !== undefined) return grant;
    }
    this.wrongKeys.count(address);
    throw new Forbidden('The link is not valid or has expired');
  }
}
