import { open, readFile, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { isRun, type Run } from '@lectern/evaluation';
import { UsageError } from '../command.js';

interface ResultFiles {
  /** The questions. */
  readonly path: string;
  /** The JSON; the page lies beside it. */
  readonly out: string;
  /** The JSON of an earlier run. */
  readonly against: string | undefined;
}

/** The page of a run, which lies beside its JSON. */
export function pageBeside(out: string): string {
  return `${out.replace(/\.json$/, '')}.html`;
}

/** Where the first part of a run goes that was stopped: a whole one that is there already stays. */
export function incompleteBeside(out: string): string {
  return `${out.replace(/\.json$/, '')}.incomplete.json`;
}

/**
 * Looks at the files of a run before anything is asked: hours of asking shall not end in an answer that has no place.
 * What is in them stays.
 * @throws UsageError when a flag names the file of questions, Error when a result cannot be written
 */
export async function checkResultFiles({ path, out, against }: ResultFiles): Promise<void> {
  const beside = pageBeside(out);
  if (await isSameFile(out, path)) throw new UsageError(`--out names the file of questions: ${out}`);
  if (await isSameFile(beside, path)) {
    throw new UsageError(`--out puts its page where the file of questions is: ${beside}`);
  }
  if (against !== undefined && (await isSameFile(against, path))) {
    throw new UsageError(`--against names the file of questions: ${against}`);
  }
  for (const file of [out, beside]) await requireWritable(file);
}

/** A new file for the questions of a draft. @throws Error when there is one already */
export async function openDraft(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'ax');
  } catch (error) {
    throw unwritable('--draft', file, error);
  }
}

/** What is wrong with a file that a flag names, in a sentence. */
function unwritable(flag: string, file: string, error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const why = REASONS[code] ?? message;
  return new Error(`${flag}: cannot write ${file}: ${why}`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is there already. Name another file, or move that one away',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'what should be its folder is a file',
  EACCES: 'this is not permitted',
  EPERM: 'this is not permitted',
  EROFS: 'the file system is read-only',
};

/** Appending keeps what is there; a file that only this made goes again. */
async function requireWritable(file: string): Promise<void> {
  try {
    const isThere = await exists(file);
    await (await open(file, 'a')).close();
    if (!isThere) await rm(file);
  } catch (error) {
    throw unwritable('--out', file, error);
  }
}

/** By what the names lead to: a link or another spelling is the same file. */
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

/** @throws Error naming the file; of a folder the system itself does not say which. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    throw new Error(`${path} is a folder, not a file`, { cause: error });
  }
}

/** @throws Error when the file is not what `lectern eval` wrote. */
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
