import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsWith } from '../../test/support/settings.js';
import { StartRefused, Unauthorized } from '../errors/index.js';
import { readApiKey, signApiKey, WrongKey } from './api-key.js';
import { SigningSecret } from './signing-secret.js';

describe('SigningSecret', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-secret-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is created once, readable by its owner only, and loaded again', async () => {
    const settings = settingsWith({ DATA_DIR: join(folder, 'new') });
    const [first, second] = await Promise.all([SigningSecret.load(settings), SigningSecret.load(settings)]);
    const path = join(folder, 'new', 'jwt-secret');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, 'utf8')).length).toBeGreaterThanOrEqual(64);
    expect(second.forApiKeys()).toEqual(first.forApiKeys());
    expect((await SigningSecret.load(settings)).forApiKeys()).toEqual(first.forApiKeys());
  });

  it('is the same for all processes that start at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const settings = settingsWith({ DATA_DIR: join(folder, String(round)) });
      const secrets = await Promise.all(Array.from({ length: 8 }, () => SigningSecret.load(settings)));
      expect(new Set(secrets.map((secret) => Buffer.from(secret.forApiKeys()).toString())).size).toBe(1);
      expect(secrets[0]?.forApiKeys().length).toBeGreaterThanOrEqual(64);
      expect(await readdir(join(folder, String(round)))).toEqual(['jwt-secret']);
    }
  });

  it.each(['', ' \n', 'short'])('rejects a file with too short a secret: %j', async (content) => {
    await writeFile(join(folder, 'jwt-secret'), content);
    const refused = SigningSecret.load(settingsWith({ DATA_DIR: folder }));
    await expect(refused).rejects.toThrow(StartRefused);
    await expect(refused).rejects.toThrow('jwt-secret is shorter than 32 bytes');
  });

  it('uses JWT_SECRET when set and then writes no file', async () => {
    const JWT_SECRET = 'Zx81-spectrum-commodore-amiga-atari-st';
    const settings = settingsWith({ DATA_DIR: folder, JWT_SECRET });
    expect(Buffer.from((await SigningSecret.load(settings)).forApiKeys()).toString()).toBe(JWT_SECRET);
    await expect(stat(join(folder, 'jwt-secret'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('derives a different key for each purpose', () => {
    const secret = new SigningSecret('a'.repeat(40));
    expect(secret.derive('download-url')).toHaveLength(32);
    expect(secret.derive('download-url')).toEqual(new SigningSecret('a'.repeat(40)).derive('download-url'));
    expect(secret.derive('download-url')).not.toEqual(secret.derive('other'));
    expect(secret.derive('download-url')).not.toEqual(
      new SigningSecret('b'.repeat(40)).derive('download-url'),
    );
  });

  it('verifies with the previous secret too, and signs with the current one', async () => {
    const [former, current] = ['f'.repeat(40), 'c'.repeat(40)];
    const before = new SigningSecret(former);
    const secret = new SigningSecret(current, former);
    const claims = {
      appId: 'a',
      id: '6f1c4a52-0d0e-4d5c-9d6c-0a4b1f3f2f11',
      permissions: ['read'] as const,
      endUserId: null,
    };
    const signed = (by: SigningSecret, expiresAt = new Date(Date.now() + 60_000)): Promise<string> =>
      signApiKey({ ...claims, expiresAt }, by.forApiKeys());
    const read = (token: string, by: SigningSecret): Promise<unknown> =>
      by.verify((bytes) => readApiKey(token, bytes));
    await expect(read(await signed(before), secret)).resolves.toMatchObject({ id: claims.id });
    await expect(read(await signed(secret), secret)).resolves.toMatchObject({ id: claims.id });
    await expect(read(await signed(secret), before)).rejects.toThrow('The API key is not valid');
    await expect(read(await signed(new SigningSecret('x'.repeat(40))), secret)).rejects.toThrow('not valid');
    for (const by of [before, secret]) {
      await expect(read(await signed(by, new Date(0)), secret)).rejects.toThrow('The API key has expired');
    }

    const open = async (key: Uint8Array, sealed: Uint8Array): Promise<string> => {
      if (Buffer.compare(key, sealed) !== 0) throw new WrongKey('wrong key');
      return Promise.resolve('opened');
    };
    const sealed = before.derive('model-key');
    await expect(secret.verify((key) => open(key, sealed), 'model-key')).resolves.toBe('opened');
    await expect(new SigningSecret(current).verify((key) => open(key, sealed), 'model-key')).rejects.toThrow(
      'wrong key',
    );
    const expired = () => Promise.reject(new Unauthorized('expired'));
    await expect(secret.verify(expired, 'model-key')).rejects.toThrow('expired');
    expect(secret.derive('model-key')).toEqual(new SigningSecret(current).derive('model-key'));
    expect(secret.deriveAll('model-key')).toEqual([secret.derive('model-key'), sealed]);
  });
});
