import { SigningSecret } from '../auth/signing-secret.js';
import { END_OF_TRANSACTION } from './document-event.js';
import { EventIds } from './event-ids.js';

const [FORMER, PRESENT] = ['f', 'p'].map((letter) => letter.repeat(40)) as [string, string];

describe('ids of events', () => {
  const ids = new EventIds(new SigningSecret(PRESENT));
  const position = { xid: 9_751n, seq: 12n };

  it.each([position, { xid: 0n, seq: 0n }, { xid: 2n ** 62n, seq: END_OF_TRANSACTION }])(
    'are positions again: %j',
    (one) => {
      const id = ids.idOf(one);
      expect(id).toMatch(/^[\w-]{32}$/);
      expect(ids.idOf(one)).toBe(id);
      expect(ids.positionOf(id)).toEqual(one);
    },
  );

  it('of neighbours have nothing in common', () => {
    const all = Array.from({ length: 200 }, (_, n) => ids.idOf({ xid: 9_751n, seq: BigInt(n) }));
    expect(new Set(all.map((id) => id.slice(0, 6))).size).toBe(200);
  });

  it('outlive the replacement of the secret', () => {
    const id = new EventIds(new SigningSecret(FORMER)).idOf(position);
    expect(new EventIds(new SigningSecret(PRESENT, FORMER)).positionOf(id)).toEqual(position);
    expect(ids.positionOf(id)).toBeUndefined();
  });

  it('of an earlier release are beyond all events', () => {
    expect(ids.positionOf('9751-12')?.xid).toBe(END_OF_TRANSACTION);
  });

  it.each(['', 'x', '9751-', 'A'.repeat(32), `${ids.idOf(position)}A`, `${ids.idOf(position)}=`])(
    'are nothing else: %s',
    (id) => {
      expect(ids.positionOf(id)).toBeUndefined();
    },
  );

  it('are changed by no bit', () => {
    const bytes = Buffer.from(ids.idOf(position), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(ids.positionOf(changed.toString('base64url'))).toBeUndefined();
    }
  });
});
