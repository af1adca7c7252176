import { Injectable } from '@nestjs/common';
import { SigningSecret } from '../auth/signing-secret.js';
import type { Scope } from '../auth/scope.js';
import { WrongKeys } from '../auth/wrong-keys.js';
import { Forbidden } from '../errors/index.js';
import { PublicUrl } from './public-url.js';
import { signFile, verifyFile, type FileGrant } from '../storage/signed-file.js';

/** Where links to files lead. */
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
  linkTo({ appId }: Scope, documentId: string, fileId: string, seconds: number): string {
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
