import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Documents } from '../../support/documents.js';
import { fakeVector, startFakeEmbeddings } from '../../support/fake-embeddings.mjs';
import { ServiceProcess } from '../../support/process.js';
import { onEmbedded, onServer, serverUrl } from '../../support/server-database.js';
import { FakeProvider } from '../../support/fake-provider/fake-provider.js';
import { Service } from '../../support/service.js';

interface Looked {
  readonly code: number | null;
  readonly output: string;
  /** Returns `ok`, `warn` or `fail` with the message of a check. */
  readonly of: (name: string) => string;
}

/** Nothing listens on the port `discard`. */
const NOBODY = 'http://127.0.0.1:9';

describe('lectern doctor', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-doctor-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const doctor = async (environment: Readonly<Record<string, string>> = {}): Promise<Looked> => {
    const given = { DATA_DIR: join(folder, 'data'), PORT: '0', ...environment };
    const { code, output } = await ServiceProcess.spawn(given, 'dist/cli/lectern.js', ['doctor']).end();
    const lines = output
      .split('\n')
      .flatMap((line) => [/^(ok|warn|fail) +(\S.*?) {2,}(\S.*)$/.exec(line)])
      .flatMap((found) =>
        found === null ? [] : [[found[2], `${found[1] ?? ''} ${found[3] ?? ''}`] as const],
      );
    return { code, output, of: (name) => new Map(lines).get(name) ?? `no line for ${name} in:\n${output}` };
  };

  it('reports no problems with default settings, and leaves no files', async () => {
    const looked = await doctor({ SOFFICE_PATH: process.execPath });
    expect(looked.code).toBe(0);
    expect(looked.of('Node.js')).toBe(`ok ${process.versions.node}`);
    expect(looked.of('settings')).toBe('ok read and valid');
    expect(looked.of('data folder')).toMatch(/^ok .*data, will be created at the first start$/);
    expect(looked.of('database')).toMatch(/^ok embedded, will be created in /);
    expect(looked.of('embedding model')).toBe('ok local/all-MiniLM-L6-v2, 384 dimensions');
    expect(looked.of('object store')).toMatch(/^ok local/);
    expect(looked.of('language model')).toBe('ok extractive: best passages');
    expect(looked.of('LibreOffice')).toBe(`ok ${process.execPath}`);
    expect(looked.of('service')).toMatch(/^ok not running .*lectern serve/);
    expect(looked.output).toMatch(/\n11 ok, 0 warnings, 0 failed$/);
    expect(await readdir(folder)).toEqual([]);
  });

  it('warns about optional programs', async () => {
    const looked = await doctor({ PATH: '/nowhere' });
    expect(looked.of('LibreOffice')).toMatch(/^warn not on the PATH: .*SOFFICE_PATH$/);
    expect(looked.code).toBe(0);
  });

  it('names the variable of every invalid setting', async () => {
    const looked = await doctor({ PORT: 'http', LLM_VISION: 'maybe' });
    expect(looked.code).toBe(1);
    expect(looked.output).toMatch(/^fail +settings +PORT expects a whole number .*settings\.md$/m);
    expect(looked.output).toMatch(/^fail +settings +LLM_VISION expects one of true, false.*settings\.md$/m);
  });

  it('reports unreachable dependencies with remedies, without secrets', async () => {
    const secrets = {
      JWT_SECRET: randomBytes(40).toString('hex'),
      LLM_API_KEY: 'sk-language-secret',
      EMBEDDING_API_KEY: 'sk-embedding-secret',
      S3_SECRET_KEY: 's3-very-secret',
      ADMIN_KEY: 'an-admin-key-that-nobody-knows',
    };
    const looked = await doctor({
      ...secrets,
      DATABASE_URL: 'postgres://me:pass%40word@127.0.0.1:9/lectern',
      LLM_MODEL: 'openai/gpt-4o-mini',
      LLM_API_BASE: NOBODY,
      EMBEDDING_MODEL: 'openai/text-embedding-3-small',
      EMBEDDING_API_BASE: NOBODY,
      STORAGE: 's3',
      S3_ENDPOINT: NOBODY,
      S3_BUCKET: 'files',
      S3_REGION: 'here',
      S3_ACCESS_KEY: 'an-access-key',
      SOFFICE_PATH: '/nowhere/soffice',
    });
    expect(looked.code).toBe(1);
    expect(looked.of('database')).toMatch(
      /^fail .*127\.0\.0\.1:9\/lectern .*ECONNREFUSED.*set DATABASE_URL to another one$/,
    );
    expect(looked.of('embedding model')).toMatch(/^fail .*EMBEDDING_API_BASE, EMBEDDING_API_KEY/);
    expect(looked.of('object store')).toMatch(/^fail .*S3_ENDPOINT, S3_BUCKET/);
    expect(looked.of('language model')).toMatch(/^fail .*could not be reached.*LLM_API_BASE/);
    expect(looked.of('LibreOffice')).toMatch(/^fail SOFFICE_PATH \/nowhere\/soffice /);
    for (const secret of [...Object.values(secrets), 'pass%40word', 'pass@word']) {
      expect(looked.output).not.toContain(secret);
    }
  });

  it('reports a port in use, and how to set another', async () => {
    const holder = createServer((socket) => socket.end('I am no HTTP\n'));
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    try {
      const looked = await doctor({ PORT: String(port) });
      expect(looked.of('address')).toMatch(
        new RegExp(`^fail another program is listening on 127.0.0.1:${port}: .*PORT.*--port`),
      );
      expect(looked.code).toBe(1);
    } finally {
      holder.close();
    }
  });

  it('reports a data folder that is a file', async () => {
    await writeFile(join(folder, 'file'), '');
    const looked = await doctor({ DATA_DIR: join(folder, 'file', 'data') });
    expect(looked.of('data folder')).toMatch(/^fail .*ENOTDIR.*DATA_DIR \(--data of lectern serve\)/);
    expect(looked.code).toBe(1);
  });

  it('checks a running service and its object store', async () => {
    const service = await Service.start({ LLM_MODEL: 'hosted_vllm/plain', LLM_API_BASE: NOBODY });
    try {
      const { port } = new URL(service.url);
      const looked = await doctor({ ...service.environment, PORT: port });
      expect(looked.of('address')).toBe(`ok a Lectern service is running at ${service.url}`);
      expect(looked.of('service')).toMatch(/^warn .* is degraded \(llm: no response\)/);
      expect(looked.of('database')).toMatch(
        /^ok (embedded, in use by the running service|PostgreSQL .*pgvector)/,
      );
      expect(looked.of('object store')).toBe(`ok local, ${join(service.dataDir, 'files')}`);
      expect(looked.of('admin key')).toBe('ok accepted by the running service');
      const lost = await doctor({
        ...service.environment,
        PORT: port,
        ADMIN_KEY: 'a key that nobody gave out',
      });
      expect(lost.of('admin key')).toMatch(
        /^fail 401 .* run lectern keys create --name admin --scopes admin$/,
      );
      const files = await readdir(join(service.dataDir, 'files'), { recursive: true });
      expect(files.filter((name) => !/^(\.incoming|\.owner|doctor)$/.test(name))).toEqual([]);
    } finally {
      await service.stop();
    }
  });

  it('asks a running service for the model that was connected without a restart', async () => {
    const [service, provider] = await Promise.all([Service.start(), FakeProvider.start()]);
    try {
      const model = { model: 'hosted_vllm/plain', api_base: provider.url, api_key: 'none' };
      expect((await service.client.put('/settings/model', model)).status).toBe(200);
      const looked = await doctor({ ...service.environment, PORT: new URL(service.url).port });
      expect(looked.of('language model')).toMatch(/^ok plain, (in the running service|connected on)/);
    } finally {
      await service.stop();
      await provider.close();
    }
  });

  it("reports the language of documents outside the model's vocabulary", async () => {
    const service = await Service.start();
    try {
      await new Documents(() => service.client).ingestText('يمكن أن تبقى البضائع في الميناء ثلاثين يوما.');
      const { port } = new URL(service.url);
      const running = await doctor({ ...service.environment, PORT: port });
      expect(running.of('service')).toMatch(/^warn .*languages: .* in Arabic .*local-multilingual/);
      await service.terminate();
      const stopped = await doctor({ ...service.environment });
      expect(stopped.of('embedding model')).toMatch(
        /^warn .*, 384 dimensions\. .* in Arabic .*lectern reindex/,
      );
    } finally {
      await service.stop();
    }
  });

  it('proposes EMBEDDING_COSINE_FLOOR for an unknown model', async () => {
    const aloft = (text: string): number[] => {
      const own = fakeVector(text, 64);
      const length = Math.hypot(...own);
      return [...own.map((value) => value / length), 2]; // the least cosine is .8
    };
    const model = await startFakeEmbeddings({
      answer: ({ body: { input } }) => ({
        json: { data: [input].flat().map((text, index) => ({ index, embedding: aloft(String(text)) })) },
      }),
    });
    const service = await Service.start({
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: model.url,
      EMBEDDING_DIMENSIONS: '65',
    });
    try {
      const documents = new Documents(() => service.client);
      const words = (of: number): string => Array.from({ length: 40 }, (_, at) => `w${of}x${at}`).join(' ');
      await Promise.all(Array.from({ length: 100 }, (_, of) => documents.ingestText(words(of))));
      await service.terminate();
      const looked = await doctor(service.environment);
      expect(looked.of('embedding model')).toMatch(
        /^warn openai\/fake, 65 dimensions\. The mean cosine of unrelated texts is 0\.8\d .* EMBEDDING_COSINE_FLOOR=0\.6\d$/,
      );
      const set = await doctor({ ...service.environment, EMBEDDING_COSINE_FLOOR: '.6' });
      expect(set.of('embedding model')).toBe('ok openai/fake, 65 dimensions');
    } finally {
      await service.stop();
      await model.close();
    }
  });

  onEmbedded('over an embedded database that no service holds', () => {
    it('opens and closes it', async () => {
      const service = await Service.start();
      await service.terminate();
      const looked = await doctor({ ...service.environment });
      expect(looked.of('database')).toMatch(/^ok embedded, PostgreSQL \d+\.\d+, pgvector 0\.\d+\.\d+$/);
      expect(existsSync(join(service.dataDir, 'lock'))).toBe(false);
      await service.restart();
      await service.stop();
    });
  });

  onServer('over a server', () => {
    it('reports the versions of PostgreSQL and pgvector, and creates no table', async () => {
      const secret = randomBytes(40).toString('hex');
      const looked = await doctor({ DATABASE_URL: serverUrl ?? '', JWT_SECRET: secret });
      expect(looked.of('database')).toMatch(/^ok PostgreSQL \d+.*, pgvector 0\.\d+\.\d+$/);
    });
  });
});
