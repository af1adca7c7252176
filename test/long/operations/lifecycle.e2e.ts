import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../../support/client.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { ServiceProcess } from '../../support/process.js';
import { createServerDatabase, onEmbedded, onServer, serverUrl } from '../../support/server-database.js';
import { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

describe('starting and stopping', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-lifecycle-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('fails with a line for each invalid setting', async () => {
    const { code, output } = await ServiceProcess.spawn({ DATA_DIR: folder, PORT: 'x', MAX_K: '0' }).end();
    expect(code).toBe(1);
    expect(output.split('\n')).toEqual([
      expect.stringMatching(/^PORT /) as unknown,
      expect.stringMatching(/^MAX_K /) as unknown,
    ]);
  });

  it('fails with one sentence, without the password, if the database does not respond', async () => {
    const { code, output } = await ServiceProcess.spawn({
      DATA_DIR: folder,
      DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:9/lectern',
      DATABASE_START_TIMEOUT_MS: '0',
      JWT_SECRET: randomBytes(48).toString('base64'),
    }).end();
    expect([code, output]).toEqual([
      1,
      'DATABASE_URL: cannot use the database at 127.0.0.1:9/lectern (connect ECONNREFUSED 127.0.0.1:9): start it and let it admit this user, or set DATABASE_URL to another one',
    ]);
  });

  it('retries while the database is unreachable, logs each attempt, and exits on a signal', async () => {
    const environment = {
      DATA_DIR: folder,
      PORT: '0',
      DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:9/lectern',
      JWT_SECRET: randomBytes(48).toString('base64'),
    };
    const line =
      'No database at 127.0.0.1:9/lectern yet (connect ECONNREFUSED 127.0.0.1:9); retrying for another';
    const refused = await ServiceProcess.spawn({ ...environment, DATABASE_START_TIMEOUT_MS: '1200' }).end();
    expect(refused.code).toBe(1);
    expect(refused.output.split(line)).toHaveLength(3);
    expect(refused.output).toMatch(
      /DATABASE_URL: cannot use the database at 127.0.0.1:9\/lectern \(.*\): start it and let it/,
    );

    const stopped = ServiceProcess.spawn(environment);
    await stopped.printed(`${line} 60 s`);
    const { code, output } = await stopped.kill('SIGTERM');
    expect(code).toBe(143);
    expect(output).toContain('Stopping on SIGTERM during the start');
    expect(output).not.toContain('s3cret');
  });

  it('survives kill -9: acknowledged writes are kept', async () => {
    const service = await Service.start();
    try {
      const { id, key } = (
        await service.client.post('/keys', { name: 'kept', scopes: ['admin'] })
      ).json() as {
        id: string;
        key: string;
      };
      expect((await service.kill9()).signal).toBe('SIGKILL');
      await service.restart();
      const list = (await service.as(key).get('/keys')).json() as { id: string }[];
      expect(list.map((one) => one.id)).toContain(id);
      expect(await service.terminate()).toMatchObject({ code: 0 });
    } finally {
      await service.stop();
    }
  });

  it('exits with npx, whose shell consumes the signal, and unlocks its folder', async () => {
    const environment = { DATA_DIR: folder, PORT: '0', npm_execpath: '/usr/lib/npm-cli.js' };
    const shell = ServiceProcess.spawn(
      environment,
      'dist/cli/lectern.js',
      ['serve'],
      ['sh', '-c', '"$@"; exit', 'sh'],
    );
    const url = await shell.url();
    // Its output ends when the last process that writes to it has ended.
    const { signal, output } = await shell.kill('SIGTERM');
    expect([signal, output]).toEqual(['SIGTERM', expect.stringContaining('Stopping on SIGTERM')]);
    await expect(fetch(`${url}/ping`)).rejects.toThrow();
    expect(await readdir(folder)).not.toContain('lock');
  });

  it('fails with one sentence if the port is in use', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    const service = await Service.start();
    try {
      await service.terminate();
      await expect(service.restart({ PORT: String(port) })).rejects.toThrow(
        new RegExp(
          `ended with 1:[^]*Cannot listen on 127.0.0.1:${port} \\(EADDRINUSE\\): set HOST and PORT, .*$`,
        ),
      );
    } finally {
      holder.close();
      await service.stop();
    }
  });

  it('is not ready after the signal, rejects new requests, and drains running ones before the port closes', async () => {
    const service = await Service.start();
    try {
      // The body follows after the signal.
      const running = request(`${service.url}/retrieve/docs`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.adminKey}`,
          'content-type': 'application/json',
          expect: '100-continue',
        },
      });
      running.write('{"query": ');
      await once(running, 'continue');
      const ended = service.terminate();
      for (const path of ['/health/ready', '/keys']) {
        await until('the answer changes', async () => (await service.client.get(path)).status !== 200);
        const answer = await service.client.get(path);
        expect([answer.status, answer.json()]).toEqual([503, { detail: 'The service is stopping' }]);
        expect(answer.headers.get('retry-after')).toBe('5');
      }
      const answered = once(running, 'response');
      running.end('"a lantern"}');
      const [response] = (await answered) as [IncomingMessage];
      expect(response.resume().statusCode).toBe(200);
      expect(await ended).toMatchObject({ code: 0 });
    } finally {
      await service.stop();
    }
  });

  it('serves requests during SHUTDOWN_DELAY_MS, but is not ready', async () => {
    const service = await Service.start({ SHUTDOWN_DELAY_MS: '60000' });
    try {
      const ended = service.terminate();
      await until(
        'the service is not ready',
        async () => (await service.client.get('/health/ready')).status !== 200,
      );
      expect((await service.client.get('/keys')).status).toBe(200);
      expect((await service.kill9()).signal).toBe('SIGKILL');
      await ended;
    } finally {
      await service.stop();
    }
  });

  it('limits the requests of each key', async () => {
    const service = await Service.start({ RATE_LIMIT_PER_MINUTE: '3' });
    try {
      for (let request = 0; request < 3; request++) {
        expect((await service.client.get('/keys')).status).toBe(200);
      }
      const refused = await service.client.get('/keys');
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await service.as(null).get('/ping')).status).toBe(200);
    } finally {
      await service.stop();
    }
  });

  it('needs no key with AUTH_MODE=none, and serves no documentation with DOCS=false', async () => {
    const service = await Service.start({ AUTH_MODE: 'none', DOCS: 'false' });
    try {
      expect((await service.as(null).get('/keys')).status).toBe(200);
      expect((await service.as(null).get('/docs')).status).toBe(404);
      expect((await service.as(null).get('/openapi.json')).status).toBe(404);
    } finally {
      await service.stop();
    }
  });

  onEmbedded('on the embedded database', () => {
    it('creates the first admin key, readable by its owner only, and prints its path', async () => {
      const environment = { DATA_DIR: folder, PORT: '0' };
      const first = ServiceProcess.spawn(environment);
      const url = await first.url();
      const path = join(folder, 'api-key');
      const key = (await readFile(path, 'utf8')).trim();
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(first.output).toContain(`The first admin key is in ${path}`);
      expect((await new Client(url, key).get('/keys')).status).toBe(200);
      expect(await first.kill('SIGTERM')).toMatchObject({ code: 0 });
      expect(first.output).not.toContain(key);

      const second = ServiceProcess.spawn(environment);
      expect((await new Client(await second.url(), key).get('/keys')).status).toBe(200);
      await second.kill('SIGTERM');
      expect(second.output).not.toContain('first admin key');
      expect(second.output).not.toContain(`The key in ${path}`);

      const JWT_SECRET = randomBytes(48).toString('base64');
      const third = ServiceProcess.spawn({ ...environment, JWT_SECRET });
      expect((await new Client(await third.url(), key).get('/keys')).status).toBe(401);
      await third.kill('SIGTERM');
      expect(third.output).toContain(
        `The key in ${path} was not signed with the current JWT_SECRET, so this key and all other older keys are rejected. ` +
          'Restore JWT_SECRET, or create a new key: lectern keys create --name admin --scopes admin',
      );
    });

    it('reports that the key in the file was revoked', async () => {
      const serve = () =>
        ServiceProcess.spawn({ DATA_DIR: folder }, 'dist/cli/lectern.js', ['serve', '--port', '0']);
      const path = join(folder, 'api-key');
      const first = serve();
      const url = await first.url();
      await first.printed(`API key     in ${path}`);
      const client = new Client(url, (await readFile(path, 'utf8')).trim());
      expect((await client.post('/apps/rotate_token?app_id=default')).status).toBe(200);
      await first.kill('SIGTERM');

      const second = serve();
      await second.printed(
        `API key     the one in ${path} no longer works; create another with \`lectern keys create\``,
      );
      await second.kill('SIGTERM');
      expect(second.output).toContain(
        `The key in ${path} was revoked, or this database does not have it. ` +
          'Create a new key: lectern keys create --name admin --scopes admin',
      );
    });

    it('rejects a second process on the same folder, and the first continues', async () => {
      const service = await Service.start();
      try {
        const second = await ServiceProcess.spawn(service.environment).end();
        expect(second.code).toBe(1);
        expect(second.output).toMatch(
          /^DATA_DIR \S+ is in use by process \d+ \(since .+\): stop it, or start this one with another DATA_DIR$/,
        );
        expect((await service.client.get('/keys')).status).toBe(200);
        const keys = await ServiceProcess.spawn(service.environment, 'dist/cli/lectern.js', [
          'keys',
          'list',
        ]).end();
        expect(keys.code).toBe(1);
      } finally {
        await service.stop();
      }
    });
  });

  onServer('on a PostgreSQL server', () => {
    it('starts once an unreachable database becomes available', async () => {
      const database = await createServerDatabase(serverUrl ?? '');
      const proxy = await TcpProxy.start(database.url);
      const { url } = proxy;
      await proxy.refuse();
      const service = ServiceProcess.spawn({
        DATA_DIR: folder,
        PORT: '0',
        DATABASE_URL: url,
        JWT_SECRET: randomBytes(48).toString('base64'),
      });
      try {
        await service.printed('No database at');
        await proxy.accept();
        expect((await fetch(`${await service.url()}/health/ready`)).status).toBe(200);
      } finally {
        await service.kill('SIGTERM');
        await proxy.close();
        await database.drop();
      }
    });

    it('has nothing to migrate after lectern migrate', async () => {
      const database = await createServerDatabase(serverUrl ?? '');
      const environment = {
        DATA_DIR: folder,
        PORT: '0',
        ADMIN_KEY: randomBytes(24).toString('base64url'),
        DATABASE_URL: database.url,
        JWT_SECRET: randomBytes(48).toString('base64'),
      };
      const { code, output } = await ServiceProcess.spawn(environment, 'dist/cli/lectern.js', [
        'migrate',
      ]).end();
      const service = ServiceProcess.spawn(environment);
      try {
        expect(output).toContain('The schema is up to date');
        expect(code).toBe(0);
        expect((await fetch(`${await service.url()}/health/ready`)).status).toBe(200);
        expect(service.output).not.toContain('Migration ');
      } finally {
        await service.kill('SIGTERM');
        await database.drop();
      }
    });

    it('starts many processes concurrently on an empty database', async () => {
      const database = await createServerDatabase(serverUrl ?? '');
      const JWT_SECRET = randomBytes(48).toString('base64');
      const processes = [1, 2, 3].map((number) =>
        ServiceProcess.spawn({
          DATA_DIR: join(folder, String(number)),
          PORT: '0',
          DATABASE_URL: database.url,
          JWT_SECRET,
        }),
      );
      try {
        const urls = await Promise.all(processes.map((one) => one.url()));
        const written = processes.filter((one) => one.output.includes('The first admin key is in'));
        expect(written).toHaveLength(1);
        const path = /The first admin key is in ([^"]+)/.exec(written[0]?.output ?? '')?.[1] ?? '';
        const key = (await readFile(path, 'utf8')).trim();
        for (const url of urls) expect((await new Client(url, key).get('/keys')).status).toBe(200);
      } finally {
        for (const one of processes) await one.kill('SIGTERM');
        await database.drop();
      }
    });
  });
});
