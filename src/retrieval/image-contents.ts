import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { Invalid } from '../errors/index.js';
import { PageImages } from '../chunks/page-images.js';
import type { OutputFormat, RetrievedChunk } from './retrieval.types.js';

/** Characters of the data URIs of one answer: a string holds five times as many, and memory is shared by all. */
const MAX_CHARACTERS = 100_000_000;

/** Gives the images of pages the content that was asked for. */
@Injectable()
export class ImageContents {
  constructor(private readonly images: PageImages) {}

  /**
   * Chunks as they are shown, by what they were; those whose image has gone meanwhile, with their document or its
   * version, are left out.
   * @throws Invalid when the images are too large for one answer.
   */
  async shown(
    scope: Scope,
    chunks: readonly RetrievedChunk[],
    format: OutputFormat,
  ): Promise<ReadonlyMap<RetrievedChunk, RetrievedChunk>> {
    const shown = new Map<RetrievedChunk, RetrievedChunk>();
    let characters = 0;
    for (const chunk of chunks) {
      const { imageKey } = chunk;
      if (imageKey === null || format === 'text') {
        shown.set(chunk, chunk);
      } else if (format === 'url') {
        const url = this.images.link(scope, chunk.documentId, { object_key: imageKey });
        shown.set(chunk, { ...chunk, content: url, downloadUrl: url });
      } else {
        const content = await this.images.dataUri({ object_key: imageKey });
        if (content === null) continue;
        characters += content.length;
        if (characters > MAX_CHARACTERS) throw tooLarge();
        shown.set(chunk, { ...chunk, content });
      }
    }
    return shown;
  }

  /**
   * Data URIs of the images of pages, for a model; null for those that have gone meanwhile, and for those behind the first
   * that are too large to be sent together.
   */
  async forModel(chunks: readonly RetrievedChunk[]): Promise<(string | null)[]> {
    const uris: (string | null)[] = [];
    let characters = 0;
    for (const { imageKey } of chunks) {
      const isFull = imageKey === null || characters > MAX_CHARACTERS;
      const uri = isFull ? null : await this.images.dataUri({ object_key: imageKey });
      characters += uri?.length ?? 0;
      uris.push(uri);
    }
    return uris;
  }
}

function tooLarge(): Invalid {
  return Invalid.at(
    ['body', 'output_format'],
    'Value error, the images are too large for one answer: ask for url or text, for fewer matches or less padding',
  );
}
