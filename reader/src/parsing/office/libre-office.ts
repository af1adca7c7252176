import pLimit from 'p-limit';
import { access, constants, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ParseFailure } from '../parse-failure.js';
import { type Limits, runConfined } from './confined-process.js';

/** Target formats: formats with a parser, and PDF for page images. */
type OfficeTarget = 'docx' | 'xlsx' | 'pptx' | 'pdf';

export interface Conversion {
  /** Extension of the detected format. */
  readonly from: string;
  readonly to: OfficeTarget;
}

const MEGABYTE = 2 ** 20;

const PRESENTATIONS: ReadonlySet<string> = new Set(['pptx', 'ppt', 'odp']);

/** PDF with a page for every slide, so that the numbers of pages are those of the slides. */
const WITH_HIDDEN_SLIDES = 'pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}';

/**
 * Limits of one conversion. Starting LibreOffice takes 2 s. The conversion of a sheet of a million cells, or of 300
 * pages to PDF, took 14 s in total.
 */
export const SECONDS = 120;
const LIMITS: Limits = { seconds: SECONDS, memoryBytes: 2_048 * MEGABYTE, fileBytes: 512 * MEGABYTE };

/**
 * Converts files with LibreOffice, if it is installed. Starts a new process for each file, one at a time. The process
 * has its own profile, has limits on time, memory and disk, and cannot access the network or other files. All traces
 * are removed after each conversion.
 */
export class LibreOffice {
  private readonly limit = pLimit(1);
  private readonly stopping = new AbortController();

  /** @param named path of the program; undefined: the program on the PATH. */
  constructor(private readonly named: string | undefined) {}

  /** @throws ParseFailure if LibreOffice is not installed, cannot read the file, or exceeds a limit. */
  async convert(bytes: Uint8Array, conversion: Conversion): Promise<Uint8Array> {
    return this.limit(async () => {
      this.stopping.signal.throwIfAborted();
      const program = await this.program(conversion.from);
      return inTemporaryFolder('lectern-office-', (folder) =>
        this.convertIn(folder, program, bytes, conversion),
      );
    });
  }

  /** Aborts the running conversion and waits until its files are removed. */
  async end(): Promise<void> {
    this.stopping.abort(new Error('the reader is ending'));
    await this.limit(() => undefined);
  }

  /** Limits of one conversion; tests narrow them. */
  protected limits(): Limits {
    return LIMITS;
  }

  private async convertIn(
    folder: string,
    program: string,
    bytes: Uint8Array,
    conversion: Conversion,
  ): Promise<Uint8Array> {
    const limits = this.limits();
    const source = join(folder, `document.${conversion.from}`);
    const profile = join(folder, 'profile');
    await Promise.all([writeFile(source, bytes), writeProfile(profile)]);
    const { output, timedOut } = await runConfined(
      [
        program,
        '--headless',
        '--norestore',
        `-env:UserInstallation=${pathToFileURL(profile).href}`,
        '--convert-to',
        conversion.to === 'pdf' && PRESENTATIONS.has(conversion.from) ? WITH_HIDDEN_SLIDES : conversion.to,
        '--outdir',
        join(folder, 'converted'),
        source,
      ],
      { folder, limits, signal: this.stopping.signal },
    );
    if (timedOut) throw tooSlow();
    const converted = join(folder, 'converted', `document.${conversion.to}`);
    // The exit code is 0 even if the file could not be loaded. Only a missing output shows the failure.
    const size = await stat(converted).then(
      (found) => found.size,
      () => 0,
    );
    if (size === 0) throw unreadable(output);
    if (size >= limits.fileBytes) throw tooLarge();
    return new Uint8Array(await readFile(converted));
  }

  private async program(format: string): Promise<string> {
    const program = await findOffice(this.named);
    if (program !== undefined) return program;
    const missing = this.named === undefined ? 'is not installed here' : 'was not found at SOFFICE_PATH';
    throw new ParseFailure(
      `Files of the format ${format.toUpperCase()} are read by LibreOffice, which ${missing}: install LibreOffice (or set SOFFICE_PATH) and requeue the document, or convert the file to DOCX, XLSX, PPTX or PDF and upload that.`,
    );
  }
}

function tooSlow(): ParseFailure {
  return new ParseFailure(
    'LibreOffice takes too long to convert the file: divide it into smaller files, or save it as DOCX, XLSX, PPTX or PDF and upload that.',
  );
}

function tooLarge(): ParseFailure {
  return new ParseFailure('The file expands far beyond the size limit: save its content as a smaller file.');
}

function unreadable(output: string): ParseFailure {
  return new ParseFailure(
    'LibreOffice cannot read the file: it is damaged, protected, or needs more memory than allowed. Save it as DOCX, XLSX, PPTX or PDF and upload that.',
    { cause: new Error(output) },
  );
}

/**
 * LibreOffice's configuration, as [path, property, value]. Disables macros and links to the network and to files, and
 * sets an unreachable proxy for all other connections.
 */
const OPTIONS: readonly (readonly [string, string, string])[] = [
  ['Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['Office.Common/Security/Scripting', 'DisableActiveContent', 'true'],
  ['Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
  ['Office.Writer/Content/Update', 'Link', '0'],
  ['Office.Calc/Content/Update', 'Link', '2'],
  ['Inet/Settings', 'ooInetProxyType', '2'],
  ['Inet/Settings', 'ooInetHTTPProxyName', '127.0.0.1'],
  ['Inet/Settings', 'ooInetHTTPProxyPort', '9'],
  ['Inet/Settings', 'ooInetHTTPSProxyName', '127.0.0.1'],
  ['Inet/Settings', 'ooInetHTTPSProxyPort', '9'],
  ['Inet/Settings', 'ooInetNoProxy', ''],
];

async function writeProfile(folder: string): Promise<void> {
  const items = OPTIONS.map(
    ([path, name, value]) =>
      `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  await mkdir(join(folder, 'user'), { recursive: true });
  await writeFile(
    join(folder, 'user', 'registrymodifications.xcu'),
    `<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">${items.join('')}</oor:items>\n`,
  );
}

/** A temporary folder of at least this age was left by a killed process, because no task takes this long. */
const LEFT_BEHIND_MS = 3_600_000;

/** Runs a task in a private temporary folder that is always removed. */
async function inTemporaryFolder<T>(prefix: string, task: (folder: string) => Promise<T>): Promise<T> {
  await removeLeftBehind(prefix);
  const folder = await mkdtemp(join(tmpdir(), prefix));
  try {
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function removeLeftBehind(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    const changed = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(), // removed concurrently
    );
    if (Date.now() - changed > LEFT_BEHIND_MS) await rm(folder, { recursive: true, force: true });
  }
}

/** Finds the first executable program. A path is used directly; a name is searched on the PATH. */
export async function findProgram(names: readonly string[]): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    const places = name.includes('/') ? [name] : folders.map((folder) => join(folder, name));
    for (const place of places) if (await isExecutable(place)) return place;
  }
  return undefined;
}

/** Finds the LibreOffice program of SOFFICE_PATH, or the program on the PATH. */
export async function findOffice(named: string | undefined): Promise<string | undefined> {
  return findProgram(named === undefined ? ['soffice', 'libreoffice'] : [named]);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
