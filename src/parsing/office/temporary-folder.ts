import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** No task takes nearly as long: what is older was left by a process that was killed. */
const LEFT_BEHIND_MS = 3_600_000;

/** Runs a task in a folder that only this user can read and that is removed when it ends, however it ends. */
export async function inTemporaryFolder<T>(prefix: string, task: (folder: string) => Promise<T>): Promise<T> {
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
      () => Date.now(), // removed meanwhile
    );
    if (Date.now() - changed > LEFT_BEHIND_MS) await rm(folder, { recursive: true, force: true });
  }
}
