import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SigningSecret } from '../auth/signing-secret.js';
import type { EventPosition } from '../corpus/document-event.repository.js';

/** One block of AES: the transaction and the place in it, 8 bytes each. */
const BLOCK_BYTES = 16;
const TAG_BYTES = 8;
/** ECB, because each text is one block, and no two are the same. */
const ALGORITHM = 'aes-256-ecb';

/** They showed the position. */
const OF_EARLIER_RELEASES = /^\d{1,19}-\d{1,19}$/;
const NEVER = 2n ** 63n - 1n;

/** Keys of 32 bytes. */
interface Keys {
  readonly block: Uint8Array;
  readonly tag: Uint8Array;
}

/**
 * Ids of events: encrypted positions, always the same for an event. A position itself would tell a reader how much everybody
 * does, in other tenants too, because it counts the transactions of the database and the events of a process.
 */
@Injectable()
export class EventIds {
  private readonly current: Keys;
  /** The current ones and, while the secret is being replaced, those of the previous one. */
  private readonly all: readonly Keys[];

  constructor(secret: SigningSecret) {
    this.current = { block: secret.derive('event-id'), tag: secret.derive('event-id-tag') };
    const tags = secret.deriveAll('event-id-tag');
    this.all = secret
      .deriveAll('event-id')
      .map((block, at) => ({ block, tag: tags[at] ?? this.current.tag }));
  }

  /** @returns 32 characters, base64url */
  idOf({ xid, seq }: EventPosition): string {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeBigUInt64BE(xid, 0);
    block.writeBigUInt64BE(seq, BLOCK_BYTES / 2);
    const cipher = createCipheriv(ALGORITHM, this.current.block, null).setAutoPadding(false);
    const encrypted = [cipher.update(block), cipher.final()];
    return Buffer.concat([...encrypted, tagOf(block, this.current)]).toString('base64url');
  }

  /**
   * Returns the position of an event id; undefined for what is no such id. An id of an earlier release is a position that
   * no event has reached, so that its reader begins anew.
   */
  positionOf(id: string): EventPosition | undefined {
    if (OF_EARLIER_RELEASES.test(id)) return { xid: NEVER, seq: 0n };
    const bytes = Buffer.from(id, 'base64url');
    if (bytes.length !== BLOCK_BYTES + TAG_BYTES || bytes.toString('base64url') !== id) return undefined;
    for (const keys of this.all) {
      const decipher = createDecipheriv(ALGORITHM, keys.block, null).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(bytes.subarray(0, BLOCK_BYTES)), decipher.final()]);
      if (timingSafeEqual(tagOf(block, keys), bytes.subarray(BLOCK_BYTES))) {
        return { xid: block.readBigUInt64BE(0), seq: block.readBigUInt64BE(BLOCK_BYTES / 2) };
      }
    }
    return undefined;
  }
}

function tagOf(block: Uint8Array, { tag }: Keys): Buffer {
  return createHmac('sha256', tag).update(block).digest().subarray(0, TAG_BYTES);
}
