import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, unlinkSync, utimesSync, type Stats } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartRefused } from '../../errors/index.js';

/** Interval at which the holder updates the modification time of the lock file (its heartbeat). */
const HEARTBEAT_MS = 2_000;

/**
 * A lock without a heartbeat for this time is stale. Decides only about holders in another container or on another
 * machine, whose processes cannot be seen.
 */
const SILENCE_MS = 10_000;

/** Another process uses DATA_DIR. */
export class FolderInUse extends StartRefused {}

/** Identifies a process, even if another process later gets the same pid. */
interface ProcessIdentity {
  readonly pid: number;
  /**
   * Start time of the process according to the kernel, which distinguishes processes with the same pid; null if the
   * system has no /proc.
   */
  readonly started: string | null;
  /**
   * The scope in which the pid is valid: the id of the current boot and the pid namespace. Without /proc, the host
   * name.
   */
  readonly realm: string;
}

interface Holder extends ProcessIdentity {
  readonly token: string;
  readonly since: string;
}

/**
 * Locks a folder for one process. Without the lock, embedded PostgreSQL would let a second process open the folder,
 * which corrupts the data. The lock is the file `lock` in the folder. A lock is stale if its process no longer exists.
 * If the process is in another container or on another machine, this cannot be checked, and the lock is stale after ten
 * seconds without a heartbeat.
 */
export class DirectoryLock {
  private readonly heartbeat: NodeJS.Timeout;
  private readonly onExit = () => {
    this.release();
  };

  private constructor(
    private readonly path: string,
    private readonly token: string,
  ) {
    this.heartbeat = setInterval(() => {
      this.touch();
    }, HEARTBEAT_MS).unref();
    process.once('exit', this.onExit);
  }

  /** @throws StartRefused when another process has locked the folder. */
  static async acquire(folder: string): Promise<DirectoryLock> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, 'lock');
    const token = randomUUID();
    if (await create(path, token)) return new DirectoryLock(path, token);
    const holder = await readHolder(path);
    if (await isHeld(path, holder)) throw refusal(folder, holder);
    if (await create(path, token)) return new DirectoryLock(path, token);
    await clearGuard(folder, path);
    if (await takeOver(path, holder, token)) return new DirectoryLock(path, token);
    throw refusal(folder, await readHolder(path));
  }

  /** Releases the lock. Idempotent. Never removes the lock of another process. */
  release(): void {
    clearInterval(this.heartbeat);
    process.off('exit', this.onExit);
    if (this.isOwn()) unlinkSync(this.path);
  }

  private touch(): void {
    if (this.isOwn()) utimesSync(this.path, new Date(), new Date());
  }

  private isOwn(): boolean {
    try {
      return parseHolder(readFileSync(this.path, 'utf8'))?.token === this.token;
    } catch {
      return false;
    }
  }
}

async function create(path: string, token: string): Promise<boolean> {
  try {
    await writeFile(path, holderText(token), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    await rm(path, { force: true }); // on a full disk, the file was created but is empty
    throw error;
  }
}

function holderText(token: string): string {
  return JSON.stringify({ ...ownIdentity(), token, since: new Date().toISOString() } satisfies Holder);
}

async function isHeld(path: string, holder: Holder | undefined): Promise<boolean> {
  const liveness = holder === undefined ? 'unknown' : livenessOf(holder);
  return liveness === 'unknown' ? isTouched(path) : liveness === 'running';
}

/**
 * Watches a lock for up to {@link SILENCE_MS}.
 * @returns true as soon as the lock has a new heartbeat; false if the lock disappears or has no new heartbeat
 */
async function isTouched(path: string): Promise<boolean> {
  const first = await touchedAt(path);
  const deadline = Date.now() + SILENCE_MS;
  while (Date.now() < deadline) {
    const last = await touchedAt(path);
    if (last === undefined) return false;
    if (last !== first) return true;
    await delay(HEARTBEAT_MS / 4);
  }
  return false;
}

async function touchedAt(path: string): Promise<number | undefined> {
  return (await seen(path))?.mtimeMs;
}

function seen(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/**
 * Replaces a stale lock. If several processes find the lock stale, only the process that creates the file
 * `lock.takeover` replaces the lock, provided that the lock has not changed. The other processes give up.
 * @returns whether this process has the lock now
 */
async function takeOver(path: string, stale: Holder | undefined, token: string): Promise<boolean> {
  const guard = guardOf(path);
  const own = `${path}.new`;
  if (!(await create(guard, token))) return false;
  try {
    const holder = await readHolder(path);
    if (holder?.token !== stale?.token) return false;
    await writeFile(own, holderText(token), { mode: 0o600 });
    await rename(own, path);
    return true;
  } finally {
    await rm(own, { force: true });
    await rm(guard, { force: true });
  }
}

const guardOf = (path: string): string => `${path}.takeover`;

/**
 * Removes the takeover file of a process that died during a takeover, for example on a full disk.
 * @throws StartRefused while a takeover is in progress.
 */
async function clearGuard(folder: string, path: string): Promise<void> {
  const guard = guardOf(path);
  const found = await seen(guard);
  if (found === undefined) return;
  const isFresh = found.mtimeMs > Date.now() - SILENCE_MS; // a takeover takes much less time
  const holder = await readHolder(guard);
  if (isFresh && (await isHeld(guard, holder))) throw refusal(folder, holder);
  // Another process may have removed this file and created a new one in the meantime.
  if ((await seen(guard))?.ino === found.ino) await rm(guard, { force: true });
}

async function readHolder(path: string): Promise<Holder | undefined> {
  return parseHolder(await readFile(path, 'utf8').catch(() => ''));
}

function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Partial<Holder> | null;
    return typeof holder?.pid === 'number' ? (holder as Holder) : undefined;
  } catch {
    return undefined; // the process is still writing the file, or died while writing it
  }
}

function refusal(folder: string, holder: Holder | undefined): FolderInUse {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} (since ${holder.since})`;
  return new FolderInUse(
    `DATA_DIR ${folder} is in use by ${who}: stop it, or start this one with another DATA_DIR`,
  );
}

type Liveness = 'running' | 'gone' | 'unknown';

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: startTime(process.pid), realm: ownRealm() };
}

/**
 * Tells whether a process is running. Returns `unknown` for a process in another container or on another machine,
 * because its pid is not valid here.
 */
function livenessOf(identity: ProcessIdentity): Liveness {
  if (identity.realm !== ownRealm()) return 'unknown';
  if (!answersSignal(identity.pid)) return 'gone';
  return startTime(identity.pid) === identity.started ? 'running' : 'gone';
}

function ownRealm(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Reads field 22 of /proc/PID/stat (proc(5)). The name in field 2 may contain spaces and parentheses. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
