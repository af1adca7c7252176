import { Injectable } from '@nestjs/common';
import { Embedder } from '../models/embedding/embedder.js';

/** Sizes in bytes of a number and of the header of a stored vector (a halfvec). */
const NUMBER_BYTES = 2;
const HEAD_BYTES = 8;

/** Computes the size in bytes of texts and their vectors. */
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
