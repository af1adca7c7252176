import { Injectable } from '@nestjs/common';
import { SigningSecret } from '../../auth/signing-secret.js';
import type { Scope } from '../../auth/scope.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { Forbidden, NotFound } from '../../errors/index.js';
import { PublicUrl } from '../../http/public-url.js';
import { signFile, verifyFile, type FileGrant } from '../../storage/signed-file.js';

/** A stored source on its way out. */
export interface OutgoingFile {
  readonly key: string;
  readonly contentType: string;
  readonly filename: string | null;
}

/** Where links to files lead. */
export const FILES_PATH = 'files';

/** Links to stored files that work without a key until they expire. */
@Injectable()
export class FileLinks {
  private readonly signingKey: Uint8Array;

  constructor(
    secret: SigningSecret,
    private readonly publicUrl: PublicUrl,
  ) {
    this.signingKey = secret.derive('download-url');
  }

  /** @param seconds for which the link works */
  linkTo({ appId }: Scope, { key, contentType, filename }: OutgoingFile, seconds: number): string {
    const expiresAt = Math.floor(Date.now() / 1_000) + seconds;
    const token = signFile({ appId, key, expiresAt, contentType, filename: filename ?? '' }, this.signingKey);
    return this.publicUrl.of(`/${FILES_PATH}?token=${token}`);
  }

  /** @throws Forbidden, in the same words whatever is wrong with the token. */
  open(token: string): OutgoingFile {
    const grant = verified(token, this.signingKey);
    if (grant === undefined) throw new Forbidden('The link is not valid or has expired');
    const { key, contentType, filename } = grant;
    return { key, contentType, filename: filename === '' ? null : filename };
  }
}

function verified(token: string, signingKey: Uint8Array): FileGrant | undefined {
  return token === '' ? undefined : verifyFile(token, signingKey);
}

/**
 * The latest stored source of a document.
 * @throws NotFound when it has none.
 */
export function latestFileOf(row: DocumentRow): OutgoingFile {
  const file = row.storage_files.at(-1);
  if (file === undefined) throw new NotFound('The document has no stored file');
  // The type of the only source was recognised when it was read.
  const contentType = row.storage_files.length === 1 ? row.content_type : file.content_type;
  return { key: file.key, contentType, filename: row.filename ?? file.filename };
}
