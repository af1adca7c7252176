import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { DocumentReader } from '../parsing/document-reader.js';
import type { ReadResult } from '../parsing/reader/messages.js';
import type { UpdateStrategy } from './job.js';
import { SEPARATOR, type VersionDraft } from './version-draft.js';

type SplitOptions = Parameters<DocumentReader['split']>[2];

/** Makes drafts of versions: places new content in a document and splits what has to be split. */
@Injectable()
export class Drafting {
  constructor(
    private readonly chunks: ChunkRepository,
    private readonly reader: DocumentReader,
  ) {}

  /**
   * A text in place of the document's, or after it: then the last chunk is opened again and split together with the new
   * text, unless it stands on a page or has metadata of its own, which the new text does not.
   */
  async text(
    scope: Scope,
    row: DocumentRow,
    strategy: UpdateStrategy,
    content: string,
    options: SplitOptions = {},
  ): Promise<VersionDraft> {
    const adds = strategy === 'add' && row.text_length > 0;
    const last = adds ? await this.chunks.last(scope, row.external_id) : null;
    const opened = last?.pageNumber === null && !last.hasMetadata ? last : null;
    const text = adds ? SEPARATOR + content : content;
    const tail = (opened?.content ?? '') + text;
    const chunkType = last?.contentType ?? 'text/plain';
    const startOffset = adds ? row.text_length : 0;
    return {
      basedOn: row.text_version,
      text,
      startOffset,
      tail,
      tailOffset: opened?.startOffset ?? startOffset,
      firstChunk: opened?.chunkNumber ?? (adds ? row.chunk_count : 0),
      pieces: await this.reader.split(tail, { contentType: chunkType, lead: opened?.overlap ?? 0 }, options),
      chunkMetadata: null,
      chunkType,
      pageCount: adds ? row.page_count : null,
    };
  }
}

/** A parsed file in place of the document's text, or after it, where its pages are counted on. */
export function fileDraft(
  row: DocumentRow,
  strategy: UpdateStrategy,
  { document, pieces }: ReadResult,
  chunkMetadata: VersionDraft['chunkMetadata'] = null,
): VersionDraft {
  const adds = strategy === 'add' && row.text_length > 0;
  const shift = adds ? SEPARATOR.length : 0;
  const pagesBefore = adds ? (row.page_count ?? 0) : 0;
  const text = adds ? SEPARATOR + document.text : document.text;
  const startOffset = adds ? row.text_length : 0;
  return {
    basedOn: row.text_version,
    text,
    startOffset,
    tail: text,
    tailOffset: startOffset,
    firstChunk: adds ? row.chunk_count : 0,
    pieces: pieces.map((piece, index) => ({
      ...piece,
      // The blank line belongs to the first piece, so that the chunks go on holding every character.
      start: index === 0 ? 0 : piece.start + shift,
      bodyStart: index === 0 ? 0 : piece.bodyStart + shift,
      end: piece.end + shift,
      pageNumber: piece.pageNumber === null ? null : piece.pageNumber + pagesBefore,
    })),
    chunkMetadata,
    chunkType: document.textType,
    pageCount: pageCountOf(adds ? row.page_count : null, document.pageCount),
  };
}

function pageCountOf(before: number | null, added: number | null): number | null {
  return before === null && added === null ? null : (before ?? 0) + (added ?? 0);
}
