import { writeFile } from 'node:fs/promises';
import { isRun, type Run } from '@lectern/evaluation';
import { readText } from './read-text.js';

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
