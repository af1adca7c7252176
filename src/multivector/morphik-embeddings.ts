import { unzipSync } from 'fflate';
import type { OpenAI } from 'openai';
import { inUnitLength, unusable } from './answered-vectors.js';
import type { MultiVectorServer } from './multi-vector-server.js';
import { readMatrix } from './npy.js';
import type { MultiVector } from './page-embedder.js';

/** `POST /embeddings` of Morphik's embedding server. It returns an NPZ archive with `emb_0.npy`, `emb_1.npy`, ... */
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

/** Maximum unpacked size of an array, far above that of a page. */
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
