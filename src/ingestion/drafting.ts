import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { DocumentText } from '../corpus/document-text.repository.js';
import { DocumentReader } from '../parsing/document-reader.js';
import type { Piece } from '../splitting/piece.js';
import type { Source, UpdateStrategy } from './job.js';
import type { RuledContent } from './rules/ruled-content.js';
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
   * Content in place of the document's text, or after it. It is split unless it comes in pieces.
   * @param kind of the source that the content came from
   */
  async draft(
    scope: Scope,
    row: DocumentRow,
    strategy: UpdateStrategy,
    kind: Source['kind'],
    content: Omit<RuledContent, 'extracted'>,
    options: SplitOptions = {},
  ): Promise<VersionDraft> {
    const { document } = content;
    if (content.pieces === null && kind === 'text') {
      return this.text(scope, row, strategy, document.text.slice(), options);
    }
    const pieces =
      content.pieces ??
      (await this.reader.split(document.text.slice(), { contentType: document.textType }, options));
    return inPieces(row, strategy, { ...content, pieces });
  }

  /**
   * A text in place of the document's, or after it: then the last chunk is opened again and split together with the new
   * text, unless it stands on a page or has metadata of its own, which the new text does not.
   */
  private async text(
    scope: Scope,
    row: DocumentRow,
    strategy: UpdateStrategy,
    content: string,
    options: SplitOptions,
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

/** Pieces in place of the document's text, or after it, where its pages are counted on. */
function inPieces(
  row: DocumentRow,
  strategy: UpdateStrategy,
  {
    document,
    pieces,
    chunkMetadata,
  }: Omit<RuledContent, 'extracted'> & { readonly pieces: readonly Piece[] },
): VersionDraft {
  const adds = strategy === 'add' && row.text_length > 0;
  const shift = adds ? SEPARATOR.length : 0;
  const pagesBefore = adds ? (row.page_count ?? 0) : 0;
  const text = adds ? joined(SEPARATOR, document.text) : document.text;
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

/** Two texts as one, without a copy of the second. */
function joined(head: string, rest: DocumentText): DocumentText {
  const length = head.length + rest.length;
  return {
    length,
    slice: (start = 0, end = length) =>
      head.slice(start, end) + rest.slice(Math.max(0, start - head.length), Math.max(0, end - head.length)),
  };
}

function pageCountOf(before: number | null, added: number | null): number | null {
  return before === null && added === null ? null : (before ?? 0) + (added ?? 0);
}
