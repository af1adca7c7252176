import { createHash, randomUUID } from 'node:crypto';
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

/** Folder of unfinished uploads. No key starts with a dot, so its files are never mistaken for objects. */
const INCOMING = '.incoming';

/** Age after which an unfinished upload must belong to a process that died. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1_000;

/** Error codes: the path has no file, or one of its folders is a file. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** Error codes: the disk is full, over quota or read-only. */
const REFUSALS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Error codes: another user owns the files, for example because root restored a backup. */
const DENIALS: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM']);

/** Stores objects in a local folder. A write goes to a temporary file, is synced to disk and renamed to its key. */
export class LocalObjectStore extends ObjectStore {
  readonly bucket = 'local';

  /** @param root created when missing */
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
      const written = await writeSynced(incoming, content, signal);
      const made = await mkdir(dirname(target), { recursive: true });
      await rename(incoming, target);
      await syncFolders(dirname(target), made === undefined ? dirname(target) : dirname(made));
      return { bucket: this.bucket, key, ...written };
    } catch (error) {
      if (content instanceof Readable) content.destroy(); // nobody reads the stream after a failure
      await rm(incoming, { force: true });
      signal?.throwIfAborted();
      throw refusalOf(error);
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const isThere = (await this.size(key)) !== undefined;
    const file = isThere ? await unlessMissing(open(this.path(key), 'r')) : undefined; // a concurrent delete may win
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
      if (key.startsWith('.')) continue; // unfinished uploads and the owner note
      const found = await unlessMissing(stat(path)); // a concurrent delete may win
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

  /** Checks the root and the folders directly in it (uploads and tenants). Deeper folders have the same owner. */
  override async requireWritable(): Promise<void> {
    try {
      const entries = await unlessMissing(opendir(this.root));
      if (entries === undefined) return; // the first write creates it
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

  /**
   * Writes the note. Its place is the inode of its own file, because in a copy of the folder the note has another
   * inode.
   */
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

  /** Removes unfinished uploads of dead processes. */
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

/** Writes and syncs the content. @returns the number of bytes */
async function writeSynced(
  path: string,
  content: Uint8Array | Readable,
  signal: AbortSignal | undefined,
): Promise<Pick<StoredObject, 'size' | 'sha256'>> {
  const source = content instanceof Readable ? content : Readable.from([content]);
  // Opens the file here, because a stream that opens its own file may create the file after a failure was cleaned up.
  const handle = await open(path, 'wx', 0o600);
  const file = handle.createWriteStream({ flush: true });
  const sum = createHash('sha256');
  const summed = async function* (parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const part of parts) {
      sum.update(part);
      yield part;
    }
  };
  await pipeline(source, summed, file, { ...(signal && { signal }) });
  return { size: file.bytesWritten, sha256: sum.digest('hex') };
}

/** Lists files. A folder that is missing, or is removed meanwhile, counts as empty. */
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
 * Syncs parent folders, so that a rename or a new folder survives a power failure. Windows cannot sync folders and does
 * not need to.
 */
async function syncFolders(from: string, upTo: string): Promise<void> {
  if (process.platform === 'win32') return;
  for (let path = from; path.length >= upTo.length; path = dirname(path)) {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
    if (path === dirname(path)) return;
  }
}

/**
 * Tells whether the link failed because its name exists already. Any other error means that it is not known to exist:
 * some file systems support no links.
 */
async function isTaken(linked: Promise<void>): Promise<boolean> {
  return linked.then(
    () => false,
    (error: unknown) => codeOf(error) === 'EEXIST',
  );
}

/** Translates file system errors about the disk or the owner of files. Returns every other error unchanged. */
function refusalOf(error: unknown): unknown {
  const code = codeOf(error);
  if (REFUSALS.has(code)) {
    return new Unavailable(`The disk cannot store more files (${String(code)})`, 60, { cause: error });
  }
  if (!DENIALS.has(code)) return error;
  return new StoreUnavailable(
    'The files of the store belong to another user than the service',
    'change the owner of DATA_DIR/files and everything in it to the user of the service (chown -R)',
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
