import { open, readFile, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { isRun, type Run } from '@lectern/evaluation';
import { UsageError } from '../command.js';

interface ResultFiles {
  readonly path: string;
  /** JSON output; the HTML page is written beside it. */
  readonly out: string;
  /** JSON of an earlier run. */
  readonly against: string | undefined;
}

/** Path of the HTML page beside the JSON. */
export function pageBeside(out: string): string {
  return `${out.replace(/\.json$/, '')}.html`;
}

/**
 * Path for the results of a stopped run. It differs from the path for complete results, so that a stopped run does not
 * overwrite complete results.
 */
export function incompleteBeside(out: string): string {
  return `${out.replace(/\.json$/, '')}.incomplete.json`;
}

/**
 * Checks before the run that its results can be written, so that hours of work are not lost. Does not change existing
 * files.
 *
 * @throws UsageError if an option names the question file, Error if a result file is not writable
 */
export async function checkResultFiles({ path, out, against }: ResultFiles): Promise<void> {
  const beside = pageBeside(out);
  if (await isSameFile(out, path)) throw new UsageError(`--out names the file of questions: ${out}`);
  if (await isSameFile(beside, path)) {
    throw new UsageError(`--out would write its HTML page over the file of questions: ${beside}`);
  }
  if (against !== undefined && (await isSameFile(against, path))) {
    throw new UsageError(`--against names the file of questions: ${against}`);
  }
  for (const file of [out, beside]) await requireWritable(file);
}

/** Creates a file for drafted questions. @throws Error if it exists */
export async function openDraft(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'ax');
  } catch (error) {
    throw unwritable('--draft', file, error);
  }
}

/** The error for a file that cannot be written. @param flag option that names the file */
function unwritable(flag: string, file: string, error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const why = REASONS[code] ?? message;
  return new Error(`${flag}: cannot write ${file}: ${why}`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it exists already. Choose another file, or move it',
  EISDIR: 'it is a folder',
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'its parent is a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/**
 * Tests whether a file can be written. Opens the file for appending, which keeps its content, and removes the file if
 * this call has created it.
 */
async function requireWritable(file: string): Promise<void> {
  try {
    const isThere = await exists(file);
    await (await open(file, 'a')).close();
    if (!isThere) await rm(file);
  } catch (error) {
    throw unwritable('--out', file, error);
  }
}

/**
 * Whether two paths lead to the same file. Compares device and inode, so that links and different spellings of a path
 * count as the same file.
 */
async function isSameFile(one: string, other: string): Promise<boolean> {
  if (!(await exists(one)) || !(await exists(other))) return false;
  const [a, b] = await Promise.all([stat(one), stat(other)]);
  return a.dev === b.dev && a.ino === b.ino;
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/**
 * Reads a text file.
 * @throws Error with the path. The file system's error for a folder lacks it.
 */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    throw new Error(`${path} is a folder, not a file`, { cause: error });
  }
}

/** @throws Error unless the file was written by `lectern eval`. */
export async function readRun(path: string): Promise<Run> {
  const text = await readText(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (!isRun(value)) throw new Error(`${path} is not the JSON of a run of lectern eval`);
  return value;
}

export async function writeRun(path: string, run: Run): Promise<void> {
  await writeFile(path, `${JSON.stringify(run, null, 1)}\n`);
}
