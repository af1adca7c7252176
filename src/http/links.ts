import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { localUrl } from '../config/local-url.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { SigningSecret } from '../auth/signing-secret.js';
import { Authenticator, type Holder } from '../auth/authenticator.js';
import { type Scope, shardOf } from '../auth/scope.js';
import { WrongKeys } from '../auth/wrong-keys.js';
import { Forbidden } from '../errors/index.js';
import { signFile, verifyFile } from '../storage/signed-file.js';

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

const ENDED = 'The link is not valid or has expired';

export interface OpenedLink {
  /** The present rights of the caller who made the link, in the shard of the document. */
  readonly scope: Scope;
  readonly documentId: string;
  readonly fileId: string;
}

/**
 * Makes links to document files. A link works without a key, until it expires or the file is replaced. It has the
 * rights of the caller who made it. It stops working when the caller's key ends, or when the caller may no longer read
 * the document.
 */
@Injectable()
export class FileLinks {
  private readonly signingKey: Uint8Array;
  private readonly verifyingKeys: readonly Uint8Array[];

  constructor(
    secret: SigningSecret,
    private readonly publicUrl: PublicUrl,
    private readonly wrongKeys: WrongKeys,
    private readonly authenticator: Authenticator,
  ) {
    this.signingKey = secret.derive('download-url');
    this.verifyingKeys = secret.deriveAll('download-url');
  }

  /** @param seconds lifetime of the link */
  linkTo(scope: Scope, documentId: string, fileId: string, seconds: number): string {
    const { appId } = scope;
    const holder = JSON.stringify(this.authenticator.holderOf(scope));
    const expiresAt = Math.floor(Date.now() / 1_000) + seconds;
    const token = signFile({ appId, documentId, fileId, holder, expiresAt }, this.signingKey);
    return this.publicUrl.of(`/${FILES_PATH}?token=${token}`);
  }

  /**
   * @param address of the client
   * @throws Forbidden with the same message for every invalid token, and for a link whose key was revoked or has
   * expired; TooManyRequests after too many invalid tokens.
   */
  async open(token: string, address: string): Promise<OpenedLink> {
    const grant = this.verifyingKeys.map((key) => verifyFile(token, key)).find((one) => one !== undefined);
    if (grant === undefined) {
      await this.wrongKeys.count(address, 'link.refused');
      throw new Forbidden(ENDED);
    }
    const { appId, documentId, fileId, holder } = grant;
    const scope = await this.authenticator.scopeOfHolder(appId, JSON.parse(holder) as Holder);
    if (scope === undefined) throw new Forbidden(ENDED);
    return { scope: shardOf(scope, documentId), documentId, fileId };
  }
}
