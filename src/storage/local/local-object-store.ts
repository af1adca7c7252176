import { randomUUID } from 'node:crypto';
import { access, constants, link, mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NotFound, Unavailable } from '../../errors/index.js';
import { checkedKey } from '../object-key.js';
import {
  NOTE,
  ObjectStore,
  StoreUnavailable,
  parseNote,
  printNote,
  type ByteRange,
  type FoundNote,
  type ListedObject,
  type OwnerNote,
  type StoredObject,
} from '../object-store.js';

/** No key starts with a dot, so nothing in here is ever mistaken for an object. */
const INCOMING = '.incoming';

/** An upload that is older than this belongs to a process that died. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1_000;

/** Nothing at the path, or a file where a folder of it should be. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** The disk is full, over its quota, or read-only. */
const REFUSALS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Files or folders belong to somebody else, as those that root has restored do. */
const DENIALS: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM']);

/** Adapter: a directory. An object is written beside the others, synced to the disk and renamed into its place. */
export class LocalObjectStore extends ObjectStore {
  readonly bucket = 'local';

  /** @param root made when it is not there. */
  constructor(private readonly root: string) {
    super();
  }

  protected async write(
    key: string,
    content: Uint8Array | Readable,
    _contentType?: string,
    signal?: AbortSignal,
  ): Promise<StoredObject> {
    const target = this.path(key);
    const incoming = join(this.root, INCOMING, randomUUID());
    try {
      await mkdir(dirname(incoming), { recursive: true });
      const size = await writeSynced(incoming, content, signal);
      const made = await mkdir(dirname(target), { recursive: true });
      await rename(incoming, target);
      await syncFolders(dirname(target), made === undefined ? dirname(target) : dirname(made));
      return { bucket: this.bucket, key, size };
    } catch (error) {
      if (content instanceof Readable) content.destroy(); // whatever failed, nobody reads on
      await rm(incoming, { force: true });
      signal?.throwIfAborted();
      throw refusalOf(error);
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const isThere = (await this.size(key)) !== undefined;
    const file = isThere ? await unlessMissing(open(this.path(key), 'r')) : undefined; // it may go meanwhile
    if (file === undefined) throw new NotFound('The file does not exist');
    return file.createReadStream({ ...range });
  }

  async size(key: string): Promise<number | undefined> {
    const found = await unlessMissing(stat(this.path(key)));
    return found?.isFile() === true ? found.size : undefined;
  }

  protected async remove(key: string): Promise<void> {
    await rm(this.path(key), { force: true });
  }

  async *list(prefix?: string): AsyncIterable<ListedObject> {
    for await (const path of filesBelow(prefix === undefined ? this.root : this.path(prefix))) {
      const key = relative(this.root, path).replaceAll(sep, '/');
      if (key.startsWith('.')) continue; // what is coming in, and the note
      const found = await unlessMissing(stat(path)); // it may go while others are listed
      if (found !== undefined) yield { key, size: found.size, modifiedAt: found.mtime };
    }
  }

  protected async removeBelow(prefix: string): Promise<number> {
    let count = 0;
    for await (const { key } of this.list(prefix)) {
      await this.remove(key);
      count++;
    }
    if (count > 0) await rm(this.path(prefix), { recursive: true, force: true });
    return count;
  }

  /** The folders that uploads and tenants have; what is deeper came with them. */
  override async requireWritable(): Promise<void> {
    try {
      const entries = await unlessMissing(opendir(this.root));
      if (entries === undefined) return; // the first object makes it
      await access(this.root, constants.W_OK | constants.X_OK);
      for await (const entry of entries) {
        if (entry.isDirectory()) await access(join(this.root, entry.name), constants.W_OK | constants.X_OK);
      }
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async readNote(): Promise<FoundNote | undefined> {
    const path = join(this.root, NOTE);
    const text = await unlessMissing(readFile(path, 'utf8')).catch((error: unknown) => {
      throw refusalOf(error);
    });
    if (text === undefined) return undefined;
    const found = await unlessMissing(stat(path, { bigint: true }));
    return parseNote(text, String(found?.ino));
  }

  /** A copy of the folder has another inode, whatever path it has. */
  async writeNote(note: OwnerNote, replace: boolean): Promise<boolean> {
    const path = join(this.root, NOTE);
    const incoming = join(this.root, INCOMING, randomUUID());
    await mkdir(dirname(incoming), { recursive: true });
    try {
      const file = await open(incoming, 'wx', 0o600);
      try {
        const { ino } = await file.stat({ bigint: true });
        await file.writeFile(printNote(note, String(ino)));
        await file.sync();
      } finally {
        await file.close();
      }
      if (!replace && (await isTaken(link(incoming, path)))) return false;
      if (replace || (await unlessMissing(stat(path))) === undefined) await rename(incoming, path);
      await syncFolders(this.root, this.root);
      return true;
    } catch (error) {
      throw refusalOf(error);
    } finally {
      await rm(incoming, { force: true });
    }
  }

  /** Removes what uploads of dead processes left behind. */
  async removeAbandoned(now = Date.now()): Promise<void> {
    for await (const path of filesBelow(join(this.root, INCOMING))) {
      const found = await unlessMissing(stat(path));
      if (found !== undefined && now - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
    }
  }

  private path(key: string): string {
    return join(this.root, ...checkedKey(key).split('/'));
  }
}

/** @returns the number of bytes, which are on the disk. */
async function writeSynced(
  path: string,
  content: Uint8Array | Readable,
  signal: AbortSignal | undefined,
): Promise<number> {
  const source = content instanceof Readable ? content : Readable.from([content]);
  // It is there before anything can fail: a stream that opens its file itself may do so after the file was removed.
  const handle = await open(path, 'wx', 0o600);
  const file = handle.createWriteStream({ flush: true });
  await pipeline(source, file, { ...(signal && { signal }) });
  return file.bytesWritten;
}

/** A directory that is not there, or goes meanwhile, has no files. */
async function* filesBelow(folder: string): AsyncIterable<string> {
  const entries = await unlessMissing(opendir(folder));
  if (entries === undefined) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/**
 * A rename, and a new folder, survive a power failure once the folder above is synced. Windows cannot sync a folder and
 * does not need to.
 */
async function syncFolders(from: string, upTo: string): Promise<void> {
  if (process.platform === 'win32') return;
  for (let path = from; path.length >= upTo.length; path = dirname(path)) {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
    if (path === dirname(path)) return;
  }
}

/** Whether a link was refused because its name is taken. Some file systems have no links at all. */
async function isTaken(linked: Promise<void>): Promise<boolean> {
  return linked.then(
    () => false,
    (error: unknown) => codeOf(error) === 'EEXIST',
  );
}

/** A failure as the store tells it; one that has nothing to do with the disk stays what it is. */
function refusalOf(error: unknown): unknown {
  const code = codeOf(error);
  if (REFUSALS.has(code)) {
    return new Unavailable(`The disk takes no more files (${String(code)})`, 60, { cause: error });
  }
  if (!DENIALS.has(code)) return error;
  return new StoreUnavailable(
    'The files of the store belong to another user than that of the service',
    'give DATA_DIR/files and all that is in it to the user that runs the service (chown -R)',
    { storeCode: String(code), cause: error },
  );
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (MISSING.has(codeOf(error))) return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
