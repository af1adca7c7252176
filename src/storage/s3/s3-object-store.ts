import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { OnApplicationShutdown } from '@nestjs/common';
import pLimit from 'p-limit';
import type { Settings } from '../../config/settings.js';
import { NotFound, Unavailable } from '../../errors/index.js';
import { checkedKey } from '../object-key.js';
import { ObjectStore, type ByteRange, type ListedObject, type StoredObject } from '../object-store.js';

/** One object a call: the batch call needs a checksum that some compatible stores do not know. */
const CONCURRENT_DELETES = 8;

/** Parts of an upload; a file of 200 MB is 25 of them, and two are in memory at once. */
const PART_BYTES = 8 * 1024 * 1024;
const CONCURRENT_PARTS = 2;

type S3Settings = Pick<
  Settings,
  'S3_ENDPOINT' | 'S3_BUCKET' | 'S3_REGION' | 'S3_ACCESS_KEY' | 'S3_SECRET_KEY'
>;

/** Adapter: S3 and what is compatible with it. Uploads and downloads are streams. */
export class S3ObjectStore extends ObjectStore implements OnApplicationShutdown {
  readonly bucket: string;
  private readonly client: S3Client;

  /** Without keys, the credentials of the environment count (an instance role, for one). */
  constructor(settings: S3Settings) {
    super();
    const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_ACCESS_KEY: id, S3_SECRET_KEY: secret } = settings;
    this.bucket = bucket ?? '';
    this.client = new S3Client({
      region: settings.S3_REGION,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(id !== undefined &&
        secret !== undefined && { credentials: { accessKeyId: id, secretAccessKey: secret } }),
    });
  }

  async put(
    key: string,
    content: Uint8Array | Readable,
    contentType?: string,
    signal?: AbortSignal,
  ): Promise<StoredObject> {
    signal?.throwIfAborted();
    const source = new CountedSource(content);
    const upload = new Upload({
      client: this.client,
      params: {
        ...this.at(key),
        Body: Readable.from(source),
        ...(contentType !== undefined && { ContentType: contentType }),
      },
      partSize: PART_BYTES,
      queueSize: CONCURRENT_PARTS,
    });
    const leave = (): void => void upload.abort();
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await upload.done();
    } catch (error) {
      signal?.throwIfAborted();
      throw source.failure ?? explained(error);
    } finally {
      signal?.removeEventListener('abort', leave);
    }
    return { bucket: this.bucket, key, size: source.size };
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const answer = await this.client
      .send(
        new GetObjectCommand({
          ...this.at(key),
          ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        }),
      )
      .catch(rethrowExplained);
    if (answer.Body instanceof Readable) return answer.Body;
    throw new Unavailable('The object store answered without a body', 1);
  }

  async size(key: string): Promise<number | undefined> {
    const head = new HeadObjectCommand(this.at(key));
    try {
      const { ContentLength } = await this.client.send(head);
      return ContentLength ?? 0;
    } catch (error) {
      const failure = explained(error);
      if (failure instanceof NotFound) return undefined;
      throw failure;
    }
  }

  async delete(key: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand(this.at(key))).catch(rethrowExplained);
  }

  async *list(prefix?: string): AsyncIterable<ListedObject> {
    for await (const page of this.pages(prefix)) yield* page;
  }

  async deletePrefix(prefix: string): Promise<number> {
    const limit = pLimit(CONCURRENT_DELETES);
    let count = 0;
    for await (const page of this.pages(prefix)) {
      await limit.map(page, ({ key }) => this.delete(key));
      count += page.length;
    }
    return count;
  }

  onApplicationShutdown(): void {
    this.client.destroy();
  }

  /** Objects below a prefix, as many at a time as the store lists. */
  private async *pages(prefix?: string): AsyncIterable<readonly ListedObject[]> {
    const Prefix = prefix === undefined ? '' : `${checkedKey(prefix)}/`;
    const pages = paginateListObjectsV2({ client: this.client }, { Bucket: this.bucket, Prefix });
    try {
      for await (const { Contents = [] } of pages) {
        yield Contents.map(({ Key: key = '', Size: size = 0, LastModified: modifiedAt = new Date() }) => {
          return { key, size, modifiedAt };
        });
      }
    } catch (error) {
      throw explained(error);
    }
  }

  private at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.bucket, Key: checkedKey(key) };
  }
}

/** Counts the bytes, and keeps a failure of the content apart from one of the store. */
class CountedSource {
  size = 0;
  failure: Error | undefined;

  constructor(private readonly content: Uint8Array | Readable) {}

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    try {
      const parts = this.content instanceof Readable ? this.content : [this.content];
      for await (const part of parts as AsyncIterable<Uint8Array>) {
        this.size += part.length;
        yield part;
      }
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }
}

function rethrowExplained(error: unknown): never {
  throw explained(error);
}

/** What a failed call means to a caller; the store's own words stay out of it. */
function explained(error: unknown): Error {
  if (error instanceof S3ServiceException) {
    const status = error.$metadata.httpStatusCode ?? 500;
    if (status === 404 && error.name !== 'NoSuchBucket') return new NotFound('The file does not exist');
    return new Unavailable(`The object store refused with status ${status} (${error.name})`, 5);
  }
  if (error instanceof Error && error.name === 'CredentialsProviderError') {
    return new Unavailable('The object store has no credentials: see S3_ACCESS_KEY and S3_SECRET_KEY', 5);
  }
  return new Unavailable('The object store cannot be reached', 5, { cause: error });
}
