import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { TypedMetadata } from '../filters/metadata-types.js';
import { DocumentReader } from '../parsing/document-reader.js';
import { ObjectStore } from '../storage/object-store.js';
import { withoutKeys } from './chunk-metadata.js';
import { Drafting } from './drafting.js';
import type { Lease } from './lease.js';
import { progressAt, ProgressWriter } from './progress.js';
import { ContentRules, textContent, type Content, type RuledContent } from './rules/ruled-content.js';
import type { VersionDraft } from './version-draft.js';

/** The source of a job as a version that has no vectors yet. */
export interface DraftedSource {
  readonly draft: VersionDraft;
  /** Of the source. */
  readonly contentType: string;
  readonly additionalMetadata: Readonly<Record<string, unknown>>;
  /** What the rules of the job found. */
  readonly extracted: TypedMetadata;
}

/** Reads the source of a job, runs the job's rules over it and places it in the document. */
@Injectable()
export class SourceReading {
  constructor(
    private readonly objects: ObjectStore,
    private readonly reader: DocumentReader,
    private readonly drafting: Drafting,
    private readonly documents: DocumentRepository,
    private readonly rules: ContentRules,
  ) {}

  /** @throws ParseFailure, RuleFailed, TooLongForRules, LeaseLost */
  async draft(scope: Scope, row: DocumentRow, lease: Lease): Promise<DraftedSource> {
    const { source, update } = lease.job.payload;
    const { signal } = lease;
    const strategy = update?.strategy ?? 'replace';
    const ruled = await this.ruled(scope, row, lease, await this.content(scope, row, lease));
    const { document, extracted } = ruled;
    const background = { signal, background: true };
    const draft = await this.drafting.draft(scope, row, strategy, source.kind, ruled, background);
    const explicit = Object.keys((update ?? row).metadata);
    return {
      draft: withoutKeys(draft, explicit),
      contentType: source.kind === 'text' ? row.content_type : document.contentType,
      additionalMetadata: document.properties,
      extracted,
    };
  }

  private async content(scope: Scope, row: DocumentRow, { job, signal }: Lease): Promise<Content> {
    const { source } = job.payload;
    const bytes = await this.objects.getBytes(source.key);
    if (source.kind === 'text') return textContent(bytes.toString('utf8'));
    const write = (share: number): Promise<void> =>
      this.documents.setProgress(scope, row.external_id, progressAt('parsing', share));
    await write(0);
    const progress = new ProgressWriter(write);
    const { filename, declaredType } = source;
    const result = await this.reader.read(
      bytes,
      { filename, declaredType },
      {
        signal,
        onProgress: ({ step, done, total }) => {
          progress.report((done / total) * 0.5 + (step === 'splitting' ? 0.5 : 0));
        },
      },
    );
    await progress.end();
    return result;
  }

  /** The rules run once for a job: what they make is kept for later tries. */
  private async ruled(scope: Scope, row: DocumentRow, lease: Lease, content: Content): Promise<RuledContent> {
    const { rules = [], ruled } = lease.job.payload;
    if (ruled !== undefined) {
      const { text, pieces, chunkMetadata, extracted } = ruled;
      const document = text === null ? content.document : { ...content.document, text, pages: [] };
      return {
        document,
        pieces: pieces ?? (text === null ? content.pieces : null),
        chunkMetadata,
        extracted,
      };
    }
    const applied = await this.rules.apply(rules, content, {
      signal: lease.signal,
      background: true,
      previousTypes: row.metadata_types,
      onProgress: (share) => this.documents.setProgress(scope, row.external_id, progressAt('parsing', share)),
    });
    if (rules.length > 0) {
      const { document, pieces, chunkMetadata, extracted } = applied;
      await lease.keepRuled({
        text: document.text === content.document.text ? null : document.text.slice(),
        pieces: chunkMetadata === null ? null : pieces,
        chunkMetadata,
        extracted,
      });
    }
    return applied;
  }
}
