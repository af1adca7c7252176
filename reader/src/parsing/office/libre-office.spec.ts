import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';
import type { Limits } from './confined-process.js';
import { LibreOffice } from './libre-office.js';
import { until } from '../../../../test/support/until.js';

const FIXTURES = join(__dirname, '../../../../test/fixtures');
const isInstalled = spawnSync('soffice', ['--version']).status === 0;

class NarrowLibreOffice extends LibreOffice {
  protected override limits(): Limits {
    return { ...super.limits(), seconds: 1 };
  }
}

const fixture = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await readFile(join(FIXTURES, name)));

describe('LibreOffice as a program', () => {
  const source = new Uint8Array(8);
  const doc = { from: 'doc', to: 'docx' } as const;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-program-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A program that replaces LibreOffice; `$OUT` is its output file. */
  async function program(script: string, Kind: typeof LibreOffice = LibreOffice): Promise<LibreOffice> {
    return new Kind(await programAt(script));
  }

  async function programAt(script: string): Promise<string> {
    const path = join(folder, 'soffice');
    await writeFile(
      path,
      `#!/bin/sh\necho "$HOME" >> ${folder}/homes\nwhile [ "$1" != --outdir ]; do shift; done\nmkdir "$2"\nOUT="$2/document.docx"\n${script}\n`,
    );
    await chmod(path, 0o755);
    return path;
  }

  const outputOf = async (office: LibreOffice): Promise<string> =>
    Buffer.from(await office.convert(source, doc)).toString();

  /** Programs write their home, the temporary folder of the conversion, into this file. */
  async function expectNoTemporaryFolder(): Promise<void> {
    const homes = (await readFile(join(folder, 'homes'), 'utf8')).split('\n').filter(Boolean);
    expect(homes.filter(existsSync)).toEqual([]);
  }

  /** Started processes write their ids into this file. */
  const startedProcesses = async (): Promise<number[]> =>
    (await readFile(join(folder, 'pids'), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);

  /** The new parent of orphaned processes may reap them late. */
  async function startedHaveEnded(): Promise<void> {
    await until('the processes exit', async () => !(await startedProcesses()).some(isAlive));
  }

  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('returns its output and removes all files', async () => {
    const office = await program('wc -c < "$3" > "$OUT"');
    expect((await outputOf(office)).trim()).toBe('8');
    await expectNoTemporaryFolder();
  });

  it('inherits no environment of the service', async () => {
    process.env['A_SECRET_OF_THE_SERVICE'] = 'heron';
    const office = await program('env > "$OUT"');
    const names = (await outputOf(office)).match(/^\w+(?==)/gm) ?? [];
    delete process.env['A_SECRET_OF_THE_SERVICE'];
    const ofTheShell = ['OLDPWD', 'PWD', 'SHLVL', '_', 'OUT'];
    expect(names.filter((name) => !ofTheShell.includes(name)).sort()).toEqual([
      'HOME',
      'LANG',
      'PATH',
      'TMPDIR',
    ]);
  });

  it('has limited memory, CPU time and files', async () => {
    const office = await program('(ulimit -v; ulimit -t; ulimit -f) > "$OUT"');
    const [memory, seconds, file] = (await outputOf(office)).trim().split('\n');
    if (process.platform === 'linux') expect(memory).toBe('2097152');
    expect([seconds, file]).toEqual(['120', expect.stringMatching(/^(1048576|524288)$/)]);
  });

  it('kills all its processes after the time limit', async () => {
    const office = await program(
      `sleep 1000 &\necho $! >> ${folder}/pids\necho $$ >> ${folder}/pids\nwait`,
      NarrowLibreOffice,
    );
    await expect(office.convert(source, doc)).rejects.toThrow(/takes too long to convert/);
    expect(await startedProcesses()).toHaveLength(2);
    await startedHaveEnded();
    await expectNoTemporaryFolder();
  });

  it('ends with its parser process', async () => {
    const office = await program(`echo $$ >> ${folder}/pids\nsleep 1000`);
    const conversion = office.convert(source, doc);
    conversion.catch(() => undefined);
    await until('LibreOffice starts', async () => (await startedProcesses()).length > 0);
    await office.end();
    await expect(conversion).rejects.toThrow(/the reader is ending/);
    await startedHaveEnded();
    await expectNoTemporaryFolder();
  });

  it.each(['its job', 'the service'])('ends with %s', async (reason) => {
    const path = await programAt(`echo $$ >> ${folder}/pids\nsleep 1000`);
    const abort = new AbortController();
    const readers = new Readers({ office: path, currentSignal: () => abort.signal });
    const file = await fixture('office/minutes.doc');
    const reading = new DocumentReader(readers).read(file, {});
    reading.catch(() => undefined);
    await until('LibreOffice starts', async () => (await startedProcesses()).length > 0);
    if (reason === 'its job') abort.abort(new Error('no longer wanted'));
    else await readers.close();
    await expect(reading).rejects.toThrow(reason === 'its job' ? /no longer wanted/ : /the reader ended/);
    await startedHaveEnded();
    await readers.close();
    await expectNoTemporaryFolder();
  });

  it('reports the error if there is no output, or no installation', async () => {
    const silent = await program('echo "Error: source file could not be loaded"');
    await expect(silent.convert(source, doc)).rejects.toMatchObject({
      name: 'ParseFailure',
      message: expect.stringMatching(/cannot read the file: it is damaged, protected/) as unknown,
      cause: expect.objectContaining({
        message: expect.stringContaining('could not be loaded') as unknown,
      }) as unknown,
    });
    const nowhere = new LibreOffice(join(folder, 'nowhere'));
    await expect(nowhere.convert(source, doc)).rejects.toThrow(
      /DOC are read by LibreOffice, which was not found at SOFFICE_PATH: install LibreOffice/,
    );
  });
});

// LibreOffice is optional; the specs above use a stand-in. What it makes of files: test/long/ingestion/libre-office.
(isInstalled ? describe : describe.skip)('LibreOffice (needs soffice on the PATH)', () => {
  const office = new LibreOffice(undefined);
  it('follows no links in a document', async () => {
    const asked: string[] = [];
    const server = await listening((url) => asked.push(url));
    const { port } = server.address() as AddressInfo;
    const odt = openDocument(
      `<text:p>The heron waits.</text:p><text:p><draw:frame svg:width="2cm" svg:height="2cm"><draw:image xlink:href="http://127.0.0.1:${port}/heron.png"/></draw:frame></text:p>`,
    );
    const pdf = await office.convert(odt, { from: 'odt', to: 'pdf' });
    expect(Buffer.from(pdf).toString('latin1', 0, 5)).toBe('%PDF-');
    expect(asked).toEqual([]);
    server.close();
  });
});

async function listening(onRequest: (url: string) => void): Promise<Server> {
  const server = createServer((request, response) => {
    onRequest(request.url ?? '');
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function openDocument(body: string): Uint8Array {
  const urn = 'urn:oasis:names:tc:opendocument:xmlns';
  const type = 'application/vnd.oasis.opendocument.text';
  return zipSync({
    mimetype: strToU8(type),
    'META-INF/manifest.xml': strToU8(
      `<manifest:manifest xmlns:manifest="${urn}:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
    ),
    'content.xml': strToU8(
      `<office:document-content xmlns:office="${urn}:office:1.0" xmlns:text="${urn}:text:1.0" xmlns:draw="${urn}:drawing:1.0" xmlns:svg="${urn}:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2"><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    ),
  });
}
