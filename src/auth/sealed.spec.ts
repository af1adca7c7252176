import { SigningSecret } from './signing-secret.js';
import { seal, unseal } from './sealed.js';

const keyOf = (secret: string): Uint8Array => new SigningSecret(secret).derive('spec');
const KEY = keyOf('a secret of more than thirty-two bytes');
const CONTEXT = 'https://api.openai.com/v1';

describe('a sealed text', () => {
  const sealed = seal('sk-ключ', KEY, CONTEXT);

  it('is opened with its key and context', () => {
    expect(unseal(sealed, KEY, CONTEXT)).toBe('sk-ключ');
  });

  it('differs every time and does not contain the text', () => {
    expect(seal('sk-ключ', KEY, CONTEXT)).not.toBe(sealed);
    expect(Buffer.from(sealed, 'base64url').includes('sk-')).toBe(false);
  });

  it.each([
    ['another key', sealed, keyOf('another secret of more than thirty-two bytes'), CONTEXT],
    ['another context', sealed, KEY, 'https://evil.example/v1'],
    ['a changed byte', changed(sealed), KEY, CONTEXT],
    ['a missing end', sealed.slice(0, 20), KEY, CONTEXT],
    ['nothing', '', KEY, CONTEXT],
  ])('is not opened with %s', (_, text, key, context) => {
    expect(unseal(text, key, context)).toBeNull();
  });
});

function changed(sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return bytes.toString('base64url');
}
