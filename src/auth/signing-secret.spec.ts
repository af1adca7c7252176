import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsWith } from '../../test/support/settings.js';
import { StartRefused } from '../errors/index.js';
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
});
