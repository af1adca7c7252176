import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '../../support/client.js';
import { Documents } from '../../support/documents.js';
import { ServiceProcess } from '../../support/process.js';
import { onEmbedded } from '../../support/server-database.js';

const KEY = 'an-admin-key-of-the-spec';

/** Whether strace is installed and permitted. */
const traces = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

// These defaults include the embedded database.
onEmbedded(
  'a start of the service on its defaults, with a first embedding on either thread of the model',
  () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'lectern-no-network-'));
      await mkdir(join(folder, 'home'));
      const trace = ['strace', '-D', '-f', '-qq', '-s', '4096', '-e', 'trace=%network,%file'];
      const service = ServiceProcess.spawn(
        {
          HOME: join(folder, 'home'),
          TMPDIR: tmpdir(),
          DATA_DIR: join(folder, 'data'),
          PORT: '0',
          ADMIN_KEY: KEY,
        },
        'dist/main.js',
        [],
        traces ? [...trace, '-o', join(folder, 'trace')] : [],
      );
      const url = await service.url();
      const documents = new Documents(() => new Client(url, KEY));
      await documents.ingestText('Goods may stay in the harbour for thirty days.');
      expect(await documents.retrieve({ query: 'How long may cargo stay in the port?' })).toHaveLength(1);
      expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it("writes nothing to the user's home folder", async () => {
      expect(await readdir(join(folder, 'home'), { recursive: true })).toEqual([]);
    });

    (traces ? it : it.skip)(
      'looks no name up, connects to this machine only, and writes below DATA_DIR and the temporary folder only (needs strace)',
      async () => {
        const calls = (await readFile(join(folder, 'trace'), 'utf8')).split('\n');
        expect(calls.length).toBeGreaterThan(1_000);
        expect(calls.filter((call) => call.includes('127.0.0.1')).length).toBeGreaterThan(0);
        expect(calls.filter((call) => leavesTheMachine(call) || writesElsewhere(call, folder))).toEqual([]);
      },
    );
  },
);

/** Returns whether a call sends a packet or connects to another machine, or to a DNS port on any machine. */
function leavesTheMachine(call: string): boolean {
  if (!/\b(connect|sendto|sendmsg|sendmmsg)\(/.test(call) || !/sa_family=AF_INET/.test(call)) return false;
  const isLoopback = /inet_addr\("127\.|AF_INET6, "(::1|::ffff:127\.[\d.]+)"/.test(call);
  return !isLoopback || /_port=htons\((53|5353)\)/.test(call);
}

/**
 * Returns whether a call creates, changes, renames or removes a file, or opens it for writing, outside the
 * folder.
 */
function writesElsewhere(call: string, folder: string): boolean {
  const changes =
    /\b(creat|mkdir|mkdirat|mknod|mknodat|rename|renameat|renameat2|link|linkat|symlink|symlinkat|unlink|unlinkat|rmdir|truncate|chmod|fchmodat|chown|utimensat)\(/;
  const opensForWriting = /\bopen(at|at2)?\(.*\bO_(WRONLY|RDWR|CREAT|TRUNC)\b/;
  if (!changes.test(call) && !opensForWriting.test(call)) return false;
  const paths = [...call.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path = '']) => path);
  return !paths.every((path) => {
    const isBelow = (root: string): boolean => `${resolve(path)}/`.startsWith(`${root}/`);
    return [tmpdir(), '/dev'].some(isBelow) && !isBelow(join(folder, 'home'));
  });
}
