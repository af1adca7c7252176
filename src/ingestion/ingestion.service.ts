import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DocumentReader, hasVisibleText, noText, titleOfContent } from '#reader';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository, type DocumentEnds } from '../chunks/chunk.repository.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow, VersionChange } from '../corpus/document-row.js';
import type { Queryable } from '../database/run.js';
import type { Location } from '../errors/index.js';
import { omit } from '../metadata/typed-metadata.js';
import { ChunkStaging } from './chunk-staging.js';
import { ContentReader } from './content-reader.js';
import type { JobPayload } from './job.js';
import { JobQueue } from './job-queue.js';
import { Lease } from './lease.js';
import { appends, appendPatch, piecesPatch, replacementPatch, type TextPatch } from './text-patch.js';
import { PageStaging } from './page-staging.js';
import { progressAt, type Step } from './progress.js';
import type { RuledContent } from './rules/content-rules.js';
import type { Counted } from '../quotas/quotas.service.js';
import type { Rule } from './rules/rule.js';
import { Retitling, titleOfRow } from './retitling.js';
import { RuleRunner } from './rules/rule-runner.js';
import { type Draft, type NewContent, type StagedVersion, withoutKeys } from './version.js';
import { VersionWriter, type NewVersion } from './version-writer.js';

/**
 * Thrown if an earlier update has changed the text or will change it. The caller must draft again from the current row.
 */
export class TextChanged extends Error {
  constructor() {
    super('the text changed while an update was being prepared');
  }
}

/** Share of the staging progress that the text takes if a draft has pages. The pages take the rest. */
const TEXT_SHARE = 0.25;

/** Inputs of a text patch besides the content. */
interface PatchContext {
  readonly title: string | null;
  /** First and last chunk of the document's text; null if the content is not appended. */
  readonly ends: DocumentEnds | null;
  readonly background: boolean;
}

interface JobDraft {
  readonly lease: Lease;
  readonly draft: Draft;
}

/** A staged version under a lease. */
export interface Prepared {
  readonly lease: Lease;
  readonly version: StagedVersion;
}

/** A staged version to make visible. */
export interface Commit {
  readonly version: StagedVersion;
  /**
   * Returns the new values of the row.
   * @param version the staged version, whose chunks do not contain the metadata keys in `overruled`
   * @param current the locked row
   * @param overruled metadata keys that callers have set since the job was enqueued
   * @throws what refuses the commit
   */
  readonly change: (
    version: StagedVersion,
    current: DocumentRow,
    overruled: readonly string[],
  ) => VersionChange<JobPayload | null>;
  /** Makes further writes in the same transaction. Receives the new row. */
  readonly alongside?: (manager: EntityManager, row: DocumentRow) => Promise<void>;
  /**
   * Origin of the version: the lease of a job, which the commit finishes, or a request. A request can only be committed
   * when all jobs up to the revision `after` are finished.
   */
  readonly by: Lease | { readonly after: string | null };
}

/**
 * Creates versions of a document's text in three steps: draft, stage, commit. Readers see the previous version until
 * the commit. The worker runs the steps of a job under the lease of the job. A text update runs the steps within its
 * request.
 */
@Injectable()
export class IngestionService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkRepository,
    private readonly contents: ContentReader,
    private readonly retitling: Retitling,
    private readonly reader: DocumentReader,
    private readonly staging: ChunkStaging,
    private readonly pages: PageStaging,
    private readonly versions: VersionWriter,
    private readonly rules: RuleRunner,
    private readonly jobs: JobQueue,
  ) {}

  /** @throws Invalid if no language model is configured for the rules. */
  requireRunnable(rules: readonly Rule[], loc: Location): Promise<void> {
    return this.rules.requireRunnable(rules, loc);
  }

  /**
   * Reads new content, applies its rules, splits it and computes the text patch.
   * @param row current row of the document
   * @throws ParseFailure if the source is not a readable document; RuleFailed, TooLongForRules; LeaseLost.
   */
  async draft(scope: Scope, row: DocumentRow, content: NewContent, lease?: Lease): Promise<Draft> {
    const work = lease && { lease, report: this.reportTo(scope, row, 'parsing') };
    const { strategy, source, filename, explicitKeys } = content;
    if (source.kind === 'chunks') return this.retitling.draft(scope, row);
    const ends = appends(row, strategy) ? await this.chunks.ends(scope, row.external_id) : null;
    const known = ends === null ? undefined : titleOfRow(row, ends, filename);
    const allowNoText = this.pages.appliesTo(content);
    const read = await this.contents.read(
      row,
      content,
      { title: known, allowNoText, payer: payerOf(scope, row) },
      work,
    );
    const title = known === undefined ? titleOfContent(read.document, filename) : known;
    const pages = await this.pages.plan(row, content, read);
    if (pages === null && allowNoText && !hasVisibleText(read.document.text.slice())) {
      throw noText().of(read.document.contentType);
    }
    return {
      ...(await this.textPatch(row, content, read, { title, ends, background: lease !== undefined })),
      scope,
      document: row,
      strategy,
      explicitKeys,
      chunkMetadata: read.chunkMetadata?.map((metadata) => omit(metadata, explicitKeys)) ?? null,
      contentType: source.kind === 'file' ? read.document.contentType : row.content_type,
      properties: read.document.properties,
      extracted: read.extracted,
      ruled: read.ruled,
      pages,
      keepsText: false,
    };
  }

  /**
   * Embeds the pieces and pages of a draft. If a job has a long draft, stages the draft in batches under the revision
   * of the job, which is invisible to readers. A resumed job continues after its staged batches.
   * @throws the errors of the embedding model; LeaseLost.
   */
  async stage(draft: Draft, lease?: Lease): Promise<StagedVersion> {
    if (lease === undefined) return { draft, chunks: await this.staging.stage(draft), pages: null };
    const report = this.reportTo(draft.scope, draft.document, 'embedding');
    const textShare = draft.pages === null ? 1 : TEXT_SHARE;
    const chunks = await this.staging.stage(draft, { lease, report: (share) => report(share * textShare) });
    const pages = await this.pages.stage(draft, {
      lease,
      report: (share) => report(textShare + share * (1 - textShare)),
    });
    return { draft, chunks, pages };
  }

  /** Stages the drafts of a batch of jobs. Embeds short drafts in one call. */
  async stageAll(drafts: readonly JobDraft[]): Promise<Prepared[]> {
    const short = drafts.length > 1 ? drafts.filter(({ draft }) => this.isShort(draft)) : [];
    const chunks = await this.staging.stageTogether(short.map(({ draft }) => draft));
    const prepared = short.map(({ lease, draft }, at): Prepared => {
      return { lease, version: { draft, chunks: chunks[at] ?? [], pages: null } };
    });
    const others = drafts.filter((one) => !short.includes(one));
    for (const { lease, draft } of others) prepared.push({ lease, version: await this.stage(draft, lease) });
    return prepared;
  }

  private isShort(draft: Draft): boolean {
    return draft.pages === null && this.staging.isShort(draft);
  }

  /**
   * Makes staged versions visible: writes texts, chunks, vectors, statistics, rows and jobs in one transaction. A job gives
   * the chunks before a text that was added under a new name the new title.
   * @returns the new rows by id, before such a job; deleted documents are omitted
   * @throws TextChanged, LeaseLost and the errors of `change`. After an error, nothing is written.
   */
  async commit(scope: Scope, commits: readonly Commit[]): Promise<ReadonlyMap<string, DocumentRow>> {
    const retitled: DocumentRow[] = [];
    const written = await this.dataSource.transaction(async (manager) => {
      // Locks documents before jobs, as a deletion does.
      const rows = await this.documents.lockAll(manager, scope, commits.map(idOf));
      const found = commits.flatMap((one) => {
        const current = rows.get(idOf(one));
        return current === undefined ? [] : [{ one, current }];
      });
      const leases = found.flatMap(({ one: { by } }) => (by instanceof Lease ? [by] : []));
      const finished = await Lease.finish(manager, scope, leases);
      const versions: NewVersion[] = [];
      for (const { one, current } of found) {
        const overruled = finished.get(idOf(one)) ?? [];
        const version = withoutKeys(one.version, overruled);
        const change = one.change(version, current, overruled);
        await this.requireTurn(manager, one, current);
        versions.push({ version, current, change, overruled, alongside: one.alongside });
      }
      const updated =
        versions.length === 0
          ? new Map<string, DocumentRow>()
          : await this.versions.write(manager, scope, versions);
      for (const { current } of versions.filter(isAddedUnderNewName)) {
        const row = updated.get(current.external_id);
        if (row === undefined) continue;
        await this.retitling.enqueue(manager, scope, row);
        retitled.push(row);
      }
      return updated;
    });
    if (retitled.length > 0) this.jobs.notify();
    return written;
  }

  /** @throws TextChanged if the draft is based on an earlier text or name, or an earlier job is unfinished. */
  private async requireTurn(
    manager: Queryable,
    { version, by }: Commit,
    current: DocumentRow,
  ): Promise<void> {
    const { scope, document, strategy, keepsText } = version.draft;
    const needsText = strategy === 'add' || keepsText;
    if (needsText && current.text_version !== document.text_version) throw new TextChanged();
    if (current.filename !== document.filename) throw new TextChanged();
    if (by instanceof Lease || current.progress === null) return;
    if (await this.jobs.hasEarlier(scope, current.external_id, by.after, manager)) throw new TextChanged();
  }

  private async textPatch(
    row: DocumentRow,
    { strategy, source, chunks }: NewContent,
    { document, pieces, chunkMetadata }: RuledContent,
    { title, ends, background }: PatchContext,
  ): Promise<TextPatch> {
    const { text, textType: contentType } = document;
    if (pieces !== null || source.kind === 'file') {
      const hints = { contentType, title, ...(chunks && { chunks }) };
      const split = pieces ?? (await this.reader.split(text.slice(), hints, { background }));
      // Computes the contexts again, because contexts repeat headings and chunk rules may have rewritten the headings.
      const withContexts =
        chunkMetadata === null
          ? split
          : await this.reader.withContexts(text.slice(), split, hints, { background });
      return piecesPatch(row, strategy, document, withContexts);
    }
    const { lead, above, ...patch } = appends(row, strategy)
      ? appendPatch(row, text.slice(), ends?.last ?? null)
      : replacementPatch(text.slice(), strategy === 'add' ? row.page_count : null);
    const hints = { contentType: patch.chunkType, lead, title, above, ...(chunks && { chunks }) };
    return { ...patch, pieces: await this.reader.split(patch.tail, hints, { background }) };
  }

  private reportTo(scope: Scope, row: DocumentRow, step: Step): (share: number) => Promise<void> {
    return (share) => this.documents.setProgress(scope, row.external_id, progressAt(step, share));
  }
}

/** Whether the chunks before the new text still have the title of the former name. */
function isAddedUnderNewName({ version, current, change }: NewVersion): boolean {
  return version.draft.strategy === 'add' && change.filename !== current.filename;
}

function idOf({ version }: Commit): string {
  return version.draft.document.external_id;
}

/** The quotas of a document count for its end user, whoever changes it. */
function payerOf({ appId, allowance }: Scope, { end_user_id: endUserId }: DocumentRow): Counted {
  return { appId, endUserId, allowance };
}
