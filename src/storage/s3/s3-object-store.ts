import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { OnApplicationShutdown } from '@nestjs/common';
import pLimit from 'p-limit';
import type { Settings } from '../../config/settings.js';
import { Unavailable } from '../../errors/index.js';
import { storeCalls } from '../../telemetry/metrics.js';
import { checkedKey } from '../object-key.js';
import {
  NOTE,
  ObjectStore,
  parseNote,
  printNote,
  StoreUnavailable,
  type ByteRange,
  type FoundNote,
  type ListedObject,
  type OwnerNote,
  type StoredObject,
} from '../object-store.js';
import { explained, isMissing, silent, unlessMissing } from './s3-failures.js';

/**
 * Number of concurrent calls that delete an object. The batch call is not used: it requires a checksum that some
 * compatible stores do not support.
 */
const CONCURRENT_DELETES = 8;

/** Size of an upload part. A file of 200 MB has 25 parts, and two are in memory at once. */
const PART_BYTES = 8 * 1024 * 1024;
const CONCURRENT_PARTS = 2;

/** Minimum upload speed of a part. A slower upload is aborted. */
const SLOWEST_BYTES_PER_MS = (256 * 1024) / 1_000;

type S3Settings = Pick<
  Settings,
  'S3_ENDPOINT' | 'S3_BUCKET' | 'S3_REGION' | 'S3_ACCESS_KEY' | 'S3_SECRET_KEY' | 'S3_TIMEOUT_MS'
>;

type Operation = 'put' | 'get' | 'size' | 'delete' | 'list';

/**
 * Stores objects in S3 or a compatible store. Streams uploads and downloads. No call waits for the store longer than
 * S3_TIMEOUT_MS, including retries.
 */
export class S3ObjectStore extends ObjectStore implements OnApplicationShutdown {
  readonly bucket: string;
  private readonly client: S3Client;
  private readonly timeoutMs: number;

  /** Without keys in the settings, the SDK uses the credentials of the environment, for example an instance role. */
  constructor(settings: S3Settings) {
    super();
    const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_ACCESS_KEY: id, S3_SECRET_KEY: secret } = settings;
    this.bucket = bucket ?? '';
    this.timeoutMs = settings.S3_TIMEOUT_MS;
    this.client = new S3Client({
      region: settings.S3_REGION,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(id !== undefined &&
        secret !== undefined && { credentials: { accessKeyId: id, secretAccessKey: secret } }),
    });
  }

  protected async write(
    key: string,
    content: Uint8Array | Readable,
    contentType?: string,
    signal?: AbortSignal,
  ): Promise<StoredObject> {
    signal?.throwIfAborted();
    let size = 0;
    const sum = createHash('sha256');
    let failure: Error | undefined; // error from reading the content, not from the store
    async function* counted(): AsyncGenerator<Uint8Array> {
      try {
        for await (const part of (content instanceof Readable
          ? content
          : [content]) as AsyncIterable<Uint8Array>) {
          size += part.length;
          sum.update(part);
          yield part;
        }
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        throw error;
      }
    }
    const left = new AbortController();
    const upload = new Upload({
      client: this.untilLeft(left.signal),
      params: {
        ...this.at(key),
        Body: Readable.from(counted()),
        ...(contentType !== undefined && { ContentType: contentType }),
      },
      partSize: PART_BYTES,
      queueSize: CONCURRENT_PARTS,
    });
    const leave = (): void => {
      left.abort();
      void upload.abort();
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await this.called('put', upload.done());
    } catch (error) {
      leave();
      signal?.throwIfAborted();
      throw failure ?? explained(error);
    } finally {
      signal?.removeEventListener('abort', leave);
    }
    return { bucket: this.bucket, key, size, sha256: sum.digest('hex') };
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const command = new GetObjectCommand({
      ...this.at(key),
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    });
    const { Body: body } = await this.inTime('get', (options) => this.client.send(command, options));
    if (body instanceof Readable) return Readable.from(inTime(body, this.timeoutMs), { objectMode: false });
    throw new Unavailable('The object store returned a response without a body', 1);
  }

  async size(key: string): Promise<number | undefined> {
    const command = new HeadObjectCommand(this.at(key));
    const head = await unlessMissing(this.inTime('size', (options) => this.client.send(command, options)));
    return head && (head.ContentLength ?? 0);
  }

  protected async remove(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.at(key));
    await this.inTime('delete', (options) => this.client.send(command, options));
  }

  async *list(prefix?: string): AsyncIterable<ListedObject> {
    for await (const page of this.pages(prefix)) yield* page;
  }

  protected async removeBelow(prefix: string): Promise<number> {
    const limit = pLimit(CONCURRENT_DELETES);
    let count = 0;
    for await (const page of this.pages(prefix)) {
      await limit.map(page, ({ key }) => this.remove(key));
      count += page.length;
    }
    return count;
  }

  async readNote(): Promise<FoundNote | undefined> {
    const command = new GetObjectCommand({ Bucket: this.bucket, Key: NOTE });
    const text = await unlessMissing(
      this.inTime('get', async (options) =>
        (await this.client.send(command, options)).Body?.transformToString(),
      ),
    );
    return text === undefined ? undefined : parseNote(text, this.bucket);
  }

  /**
   * Writes the note. It records the name of the bucket, so that a copy of the bucket is recognised by its other name.
   */
  async writeNote(note: OwnerNote, replace: boolean): Promise<boolean> {
    const put = (condition: { readonly IfNoneMatch?: '*' }): Promise<unknown> =>
      this.inTime('put', (options) =>
        this.client.send(
          new PutObjectCommand({
            Bucket: this.bucket,
            Key: NOTE,
            Body: printNote(note, this.bucket),
            ContentType: 'application/json',
            ...condition,
          }),
          options,
        ),
      );
    try {
      await put(replace ? {} : { IfNoneMatch: '*' });
    } catch (error) {
      const name = error instanceof StoreUnavailable ? error.storeCode : undefined;
      if (name === 'PreconditionFailed' || name === 'ConditionalRequestConflict') return false;
      if (name !== 'NotImplemented') throw error;
      await put({}); // some compatible stores do not support conditional writes
    }
    return true;
  }

  onApplicationShutdown(): void {
    this.client.destroy();
  }

  /** Yields the objects below a prefix, one page of the store's listing at a time. */
  private async *pages(prefix?: string): AsyncIterable<readonly ListedObject[]> {
    const Prefix = prefix === undefined ? '' : `${checkedKey(prefix)}/`;
    let next: string | undefined;
    do {
      const command = new ListObjectsV2Command({ Bucket: this.bucket, Prefix, ContinuationToken: next });
      const page = await this.inTime('list', (options) => this.client.send(command, options));
      yield (page.Contents ?? [])
        .map(({ Key: key = '', Size: size = 0, LastModified: modifiedAt = new Date() }) => {
          return { key, size, modifiedAt };
        })
        .filter(({ key }) => key !== NOTE);
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  private at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.bucket, Key: checkedKey(key) };
  }

  /**
   * Returns a client for one upload. Its requests end when `left` aborts. Without this client, the SDK would leave
   * requests running after an abort, and a request could complete, or be retried, after the object was deleted.
   */
  private untilLeft(left: AbortSignal): S3Client {
    const send = async (command: Parameters<S3Client['send']>[0]): Promise<unknown> => {
      const bytes =
        'Body' in command.input ? ((command.input.Body as Uint8Array | undefined)?.length ?? 0) : 0;
      const limit = AbortSignal.timeout(
        this.timeoutMs + Math.ceil((CONCURRENT_PARTS * bytes) / SLOWEST_BYTES_PER_MS),
      );
      const isLast = command instanceof AbortMultipartUploadCommand;
      try {
        return await this.client.send(command, {
          abortSignal: isLast ? limit : AbortSignal.any([limit, left]),
        });
      } catch (error) {
        throw limit.aborted ? silent(error) : error;
      }
    };
    return Object.assign(Object.create(this.client) as S3Client, { send });
  }

  /** @throws NotFound; StoreUnavailable, also if the response does not start in time. */
  private async inTime<T>(
    operation: Operation,
    send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const abortSignal = AbortSignal.timeout(this.timeoutMs);
    try {
      return await this.called(operation, send({ abortSignal }));
    } catch (error) {
      throw abortSignal.aborted ? silent(error) : explained(error);
    }
  }

  private async called<T>(operation: Operation, call: Promise<T>): Promise<T> {
    const begun = performance.now();
    let outcome = 'ok';
    try {
      return await call;
    } catch (error) {
      outcome = isMissing(error)
        ? 'missing'
        : error instanceof S3ServiceException
          ? 'refused'
          : 'unavailable';
      throw error;
    } finally {
      storeCalls.observe({ operation, outcome }, (performance.now() - begun) / 1_000);
    }
  }
}

/**
 * Yields the bytes of a response. Only the time spent waiting for the store counts towards the timeout. The time of a
 * slow consumer does not.
 */
async function* inTime(body: Readable, timeoutMs: number): AsyncGenerator<Uint8Array> {
  const parts = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const timer = setTimeout(() => body.destroy(silent()), timeoutMs);
      const part = await parts.next().finally(() => {
        clearTimeout(timer);
      });
      if (part.done === true) return;
      yield part.value;
    }
  } finally {
    body.destroy();
  }
}
