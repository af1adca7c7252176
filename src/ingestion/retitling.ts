import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository, type DocumentEnds } from '../chunks/chunk.repository.js';
import { chunkBudget } from '../config/combinations.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { omit } from '../metadata/typed-metadata.js';
import { DocumentReader } from '../parsing/document-reader.js';
import { titleOf } from '../splitting/title.js';
import { type Placement, withKept } from './placement.js';

/** The title that a document has under a name, with an addition behind its text. */
export function titleOfRow(
  { additional_metadata: facts, page_count: pages, chunk_count: chunks }: DocumentRow,
  { head, headType }: DocumentEnds,
  filename: string | null,
): string | null {
  return titleOf({
    own: facts['title'],
    // A blank line will follow what is the whole text so far.
    head: chunks === 1 ? `${head}\n\n` : head,
    contentType: headType,
    hasPages: pages !== null,
    filename,
  });
}

/** Gives the chunks of a document, which carry its title in their contexts, another one. */
@Injectable()
export class Retitling {
  private readonly hasContexts: boolean;

  constructor(
    private readonly chunks: ChunkRepository,
    private readonly reader: DocumentReader,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.hasContexts = chunkBudget(settings).context > 0;
  }

  /**
   * Puts the chunks before an addition into its placement, so that they are written again under the new title; those whose
   * context stays the same keep their vectors. Where none changes, the placement stays as it is.
   * @param explicitKeys metadata that chunks do not keep values of their own for
   */
  async of(
    scope: Scope,
    row: DocumentRow,
    placement: Placement,
    title: string | null,
    explicitKeys: readonly string[],
  ): Promise<Placement> {
    if (!this.hasContexts) return placement;
    const chunks = await this.chunks.below(scope, row.external_id, placement.firstChunk);
    const contexts = await this.reader.retitle(
      chunks.map(({ content, context }) => ({ content, context })),
      title,
    );
    if (chunks.every(({ context }, index) => context === contexts[index])) return placement;
    return withKept(
      placement,
      chunks.map((chunk, index) => ({
        ...chunk,
        context: contexts[index] ?? '',
        metadata: omit(chunk.metadata, explicitKeys),
      })),
    );
  }
}
