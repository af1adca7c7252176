import { Injectable } from '@nestjs/common';
import { Embedder } from '../embedding/embedder.js';

/** Of a number in a stored vector, and of its head. */
const NUMBER_BYTES = 2;
const HEAD_BYTES = 8;

/** What texts and their vectors count as. */
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
