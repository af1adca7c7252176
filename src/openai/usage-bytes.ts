import { Injectable } from '@nestjs/common';
import { Embedder } from '../embedding/embedder.js';

/** Bytes per number of a stored vector, and of its header. */
const NUMBER_BYTES = 2;
const HEAD_BYTES = 8;

/** Returns the size of texts and their vectors. */
@Injectable()
export class UsageBytes {
  private readonly vectorBytes: number;

  constructor(embedder: Embedder) {
    this.vectorBytes = HEAD_BYTES + NUMBER_BYTES * embedder.dimensions;
  }

  of({ textLength, chunks }: { readonly textLength: number; readonly chunks: number }): number {
    return textLength + chunks * this.vectorBytes;
  }
}
