import { toUnitLength } from '../embedding/unit-length.js';
import { itemsInOrder, UnusableAnswer } from '../providers/failures.js';
import type { MultiVector } from './page-embedder.js';
import type { OpenAI } from 'openai';
import { unzipSync } from 'fflate';

/** Name of the server in error messages. */
export const LABEL = 'The page embedding server';

/**
 * Validates JSON lists of numbers, and converts them to vectors of norm 1.
 * @throws UnusableAnswer if the lists have different lengths, a value is not a number, or a vector has no direction.
 */
export function multiVectorOf(rows: unknown): MultiVector {
  if (!Array.isArray(rows) || rows.length === 0) throw unusable('no vectors for one of its inputs');
  const [first] = rows as unknown[];
  const dims = Array.isArray(first) ? first.length : 0;
  const vectors = new Float32Array(rows.length * dims);
  for (const [index, row] of (rows as unknown[]).entries()) {
    if (!Array.isArray(row) || row.length !== dims) throw unusable('vectors of different lengths');
    vectors.set(row.map(numberOf), index * dims);
  }
  return inUnitLength({ dims, vectors });
}

/** Maps JSON null to NaN; a Float32Array would convert it to 0. */
function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : NaN;
}

/**
 * Scales the vectors to the norm 1, in place.
 * @throws UnusableAnswer if there are no vectors, or if a vector has no direction because it is zero or not finite.
 */
export function inUnitLength(answered: MultiVector): MultiVector {
  const { dims, vectors } = answered;
  if (dims === 0 || vectors.length === 0) throw unusable('no vectors for one of its inputs');
  for (let start = 0; start < vectors.length; start += dims) {
    if (!toUnitLength(vectors.subarray(start, start + dims))) throw unusable('a vector without a direction');
  }
  return answered;
}

/**
 * Returns the items of `data` in the order of the inputs. @throws UnusableAnswer unless there are exactly `count`
 * items.
 */
export function itemsOf(answer: unknown, count: number): readonly Readonly<Record<string, unknown>>[] {
  const { data } = (answer ?? {}) as { readonly data?: unknown };
  return itemsInOrder(data, count, LABEL);
}

export function unusable(what: string): UnusableAnswer {
  return new UnusableAnswer(`${LABEL} returned ${what}`);
}

/** Purpose of an image: some models embed stored pages and image queries differently. */
export type ImageUse = 'page' | 'question';

/**
 * Wire format of one kind of server. Each method makes one call; the caller retries, batches and checks dimensions.
 */
export interface MultiVectorServer {
  readonly imagesPerCall: number;
  /** @throws UnusableAnswer when the response has no vectors. */
  question(text: string, signal: AbortSignal): Promise<MultiVector>;
  /**
   * @param images PNG.
   * @returns one multi-vector per image, in order.
   * @throws UnusableAnswer for any other response.
   */
  images(images: readonly Uint8Array[], use: ImageUse, signal: AbortSignal): Promise<readonly MultiVector[]>;
}

const MAGIC = '\u0093NUMPY';

/** Size and reader of a number by its type in the NPY header (all little-endian). */
const READERS: Readonly<Record<string, { bytes: number; read: (view: DataView, at: number) => number }>> = {
  '<f2': { bytes: 2, read: (view, at) => halfOf(view.getUint16(at, true)) },
  '<f4': { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  '<f8': { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
};

/**
 * Reads a matrix of floating-point numbers, row by row, in NumPy's NPY format (NumPy Enhancement Proposal 1), versions
 * 1 to 3.
 * @returns null for any other data
 */
export function readMatrix(file: Uint8Array): MultiVector | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 12 || Buffer.from(file.subarray(0, 6)).toString('latin1') !== MAGIC) return null;
  const isFirstVersion = view.getUint8(6) === 1;
  const headerAt = isFirstVersion ? 10 : 12;
  const dataAt = headerAt + (isFirstVersion ? view.getUint16(8, true) : view.getUint32(8, true));
  const header = Buffer.from(file.subarray(headerAt, dataAt)).toString('latin1');
  const reader = READERS[/'descr': *'([^']*)'/.exec(header)?.[1] ?? ''];
  const shape = /'shape': *\((\d+), *(\d+),?\)/.exec(header);
  if (reader === undefined || shape === null || !/'fortran_order': *False/.test(header)) return null;
  const [rows, dims] = [Number(shape[1]), Number(shape[2])];
  if (dataAt + rows * dims * reader.bytes > file.length) return null;
  const vectors = new Float32Array(rows * dims);
  for (let i = 0; i < vectors.length; i++) vectors[i] = reader.read(view, dataAt + i * reader.bytes);
  return { dims, vectors };
}

/** Converts the bits of an IEEE 754 half-precision number. */
function halfOf(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Purpose of an input. */
type Task = 'retrieval.query' | 'retrieval.passage';

/** `POST /embeddings` of the Jina API with `return_multivector` (jina-embeddings-v4). */
export class JinaMultiVector implements MultiVectorServer {
  readonly imagesPerCall = 4;

  /** @param client a client whose base URL includes `/v1` */
  constructor(
    private readonly client: OpenAI,
    private readonly model: string,
  ) {}

  async question(text: string, signal: AbortSignal): Promise<MultiVector> {
    const [vectors] = await this.embedded([{ text }], 'retrieval.query', signal);
    if (vectors === undefined) throw unusable('no vectors');
    return vectors;
  }

  images(images: readonly Uint8Array[], use: ImageUse, signal: AbortSignal): Promise<MultiVector[]> {
    const input = images.map((image) => ({ image: Buffer.from(image).toString('base64') }));
    return this.embedded(input, use === 'page' ? 'retrieval.passage' : 'retrieval.query', signal);
  }

  private async embedded(input: readonly object[], task: Task, signal: AbortSignal): Promise<MultiVector[]> {
    const body = {
      model: this.model,
      task,
      input,
      return_multivector: true,
      embedding_type: 'float',
      truncate: true,
    };
    const answer = await this.client.post<unknown>('/embeddings', { body, signal });
    return itemsOf(answer, input.length).map(({ embeddings }) => multiVectorOf(embeddings));
  }
}

/**
 * `POST /embeddings` of Morphik's embedding server. The server returns an NPZ archive with `emb_0.npy`, `emb_1.npy`,
 * ...
 */
export class MorphikEmbeddings implements MultiVectorServer {
  readonly imagesPerCall = 4;

  constructor(private readonly client: OpenAI) {}

  async question(text: string, signal: AbortSignal): Promise<MultiVector> {
    const [vectors] = await this.embedded('text', [text], signal);
    if (vectors === undefined) throw unusable('no vectors');
    return vectors;
  }

  images(images: readonly Uint8Array[], _use: unknown, signal: AbortSignal): Promise<MultiVector[]> {
    const inputs = images.map((image) => Buffer.from(image).toString('base64'));
    return this.embedded('image', inputs, signal);
  }

  private async embedded(
    type: 'text' | 'image',
    inputs: readonly string[],
    signal: AbortSignal,
  ): Promise<MultiVector[]> {
    const body = { input_type: type, inputs };
    const response = await this.client.post('/embeddings', { body, signal }).asResponse();
    const members = membersOf(new Uint8Array(await response.arrayBuffer()));
    return inputs.map((_, index) => {
      const member = members[`emb_${index}.npy`];
      const matrix = member === undefined ? null : readMatrix(member);
      if (matrix === null) throw unusable('no vectors for one of its inputs');
      return inUnitLength(matrix);
    });
  }
}

/** Maximum size of an unpacked array. The vectors of a page need far less. */
const MAX_MEMBER_BYTES = 64 * 1024 * 1024;

function membersOf(archive: Uint8Array): Readonly<Record<string, Uint8Array>> {
  try {
    return unzipSync(archive, {
      filter: ({ name, originalSize }) => name.startsWith('emb_') && originalSize <= MAX_MEMBER_BYTES,
    });
  } catch {
    throw unusable('data other than an archive of arrays');
  }
}

/** The prompt that models of the ColPali family expect with a page image, as in their training data. */
const PAGE_PROMPT = 'Describe the image.';

/**
 * `POST /pooling` of vLLM with a model that returns a vector per token (ColPali, ColQwen). An image is sent as a chat
 * message.
 */
export class VllmPooling implements MultiVectorServer {
  readonly imagesPerCall = 1; // a call contains a single conversation

  /** @param client a client whose base URL does not include `/v1` */
  constructor(
    private readonly client: OpenAI,
    private readonly model: string,
  ) {}

  question(text: string, signal: AbortSignal): Promise<MultiVector> {
    return this.pooled({ input: [text] }, signal);
  }

  images(images: readonly Uint8Array[], _use: unknown, signal: AbortSignal): Promise<MultiVector[]> {
    return Promise.all(images.map((image) => this.pooled({ messages: [messageOf(image)] }, signal)));
  }

  private async pooled(input: object, signal: AbortSignal): Promise<MultiVector> {
    const body = { model: this.model, encoding_format: 'float', ...input };
    const [item] = itemsOf(await this.client.post<unknown>('/pooling', { body, signal }), 1);
    return multiVectorOf(item?.['data']);
  }
}

function messageOf(image: Uint8Array): object {
  const url = `data:image/png;base64,${Buffer.from(image).toString('base64')}`;
  return {
    role: 'user',
    content: [
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: PAGE_PROMPT },
    ],
  };
}
