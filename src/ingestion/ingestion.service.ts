import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository, type DocumentEnds } from '../chunks/chunk.repository.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { Queryable } from '../database/run.js';
import type { Location } from '../errors/index.js';
import { omit } from '../metadata/typed-metadata.js';
import { DocumentReader } from '../parsing/document-reader.js';
import { titleOfContent } from '../parsing/document-title.js';
import { titleOf } from '../splitting/title.js';
import { noText } from '../parsing/parse-failure.js';
import { ChunkStaging } from './chunk-staging.js';
import { ContentReader } from './content-reader.js';
import { JobQueue } from './job-queue.js';
import { Lease } from './lease.js';
import { addsTo, afterText, asWholeText, inPieces, type Placement } from './placement.js';
import { PageStaging } from './page-staging.js';
import { progressAt, type Step } from './progress.js';
import type { RuledContent } from './rules/content-rules.js';
import type { Rule } from './rules/rule.js';
import { RuleRunner } from './rules/rule-runner.js';
import type { Draft, NewContent, RowChange, StagedVersion } from './version.js';
import { VersionWriter, type NewVersion } from './version-writer.js';

/** Something that came before an update has changed the text, or will: draft it again on the present row. */
export class TextChanged extends Error {
  constructor() {
    super('the text changed while an update of it was prepared');
  }
}

/** Of the time for a draft with pages, what its text takes. */
const TEXT_SHARE = 0.25;

/** What new content meets. */
interface Surroundings {
  /** Of the document with it. */
  readonly title: string | null;
  /** Of the document, where the content is added to it. */
  readonly ends: DocumentEnds | null;
  readonly background: boolean;
}

/** New content of a job before and after it is staged. */
interface JobDraft {
  readonly lease: Lease;
  readonly draft: Draft;
}

export interface Prepared {
  readonly lease: Lease;
  readonly version: StagedVersion;
}

/** A staged version that is to become the one that readers see. */
export interface Commit {
  readonly version: StagedVersion;
  /**
   * What the row changes to; it is given the row as it is now, locked, and the metadata keys that callers have set since
   * the job came. It may refuse by throwing.
   */
  readonly change: (current: DocumentRow, overruled: readonly string[]) => RowChange;
  /** Writes that belong to the same transaction; they are given the new row. */
  readonly alongside?: (manager: EntityManager, row: DocumentRow) => Promise<void>;
  /** What the version is made by: a job, which ends with it, or a request that came behind this job of the document. */
  readonly by: Lease | { readonly after: string | null };
}

/**
 * The life of a version of a document's text: drafted, staged, committed. Readers see the version before it until the
 * commit, whatever happens on the way. The worker takes these steps for a job, with its lease; an update of a text takes
 * them within its request.
 */
@Injectable()
export class IngestionService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkRepository,
    private readonly contents: ContentReader,
    private readonly reader: DocumentReader,
    private readonly staging: ChunkStaging,
    private readonly pages: PageStaging,
    private readonly versions: VersionWriter,
    private readonly rules: RuleRunner,
    private readonly jobs: JobQueue,
  ) {}

  /** @throws Invalid for rules that the configured model cannot follow. */
  requireRunnable(rules: readonly Rule[], loc: Location): void {
    this.rules.requireRunnable(rules, loc);
  }

  /**
   * Reads new content, has its rules carried out, splits it and places it in the document.
   * @param row of the document as it is
   * @throws ParseFailure when the source cannot be read as a document; RuleFailed, TooLongForRules; LeaseLost.
   */
  async draft(scope: Scope, row: DocumentRow, content: NewContent, lease?: Lease): Promise<Draft> {
    const work = lease && { lease, report: this.reportTo(scope, row, 'parsing') };
    const { strategy, source, filename, explicitKeys } = content;
    const ends = addsTo(row, strategy) ? await this.chunks.ends(scope, row.external_id) : null;
    const known = ends === null ? undefined : titleOfRow(row, ends, filename);
    const allowNoText = this.pages.takes(content);
    const read = await this.contents.read(row, content, { title: known, allowNoText }, work);
    const title = known === undefined ? titleOfContent(read.document, filename) : known;
    const pages = await this.pages.plan(row, content, read);
    if (pages === null && allowNoText && read.document.text.slice().trim() === '') throw noText();
    return {
      ...(await this.place(row, content, read, { title, ends, background: lease !== undefined })),
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
    };
  }

  /**
   * Embeds the pieces and pages of a draft; for a job, what is long is written batch by batch under the job's revision, which
   * readers do not see, so that a job that is taken up again goes on behind its finished batches.
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

  /** Stages the drafts of jobs; where there are several, the texts of short ones go to the model together. */
  async stageAll(works: readonly JobDraft[]): Promise<Prepared[]> {
    const short = works.length > 1 ? works.filter(({ draft }) => this.isShort(draft)) : [];
    const chunks = await this.staging.stageTogether(short.map(({ draft }) => draft));
    const prepared = short.map(({ lease, draft }, at): Prepared => {
      return { lease, version: { draft, chunks: chunks[at] ?? [], pages: null } };
    });
    const others = works.filter((work) => !short.includes(work));
    for (const { lease, draft } of others) prepared.push({ lease, version: await this.stage(draft, lease) });
    return prepared;
  }

  private isShort(draft: Draft): boolean {
    return draft.pages === null && this.staging.isShort(draft);
  }

  /**
   * Makes staged versions of documents of a tenant the ones that readers see: texts, chunks, vectors, statistics, rows and
   * jobs change in one transaction.
   * @returns the new rows by their ids, without documents that have gone
   * @throws TextChanged, LeaseLost, and what `change` throws; then nothing has changed.
   */
  async commit(scope: Scope, commits: readonly Commit[]): Promise<ReadonlyMap<string, DocumentRow>> {
    return this.dataSource.transaction(async (manager) => {
      // Documents are locked before their jobs, as a delete does.
      const rows = await this.documents.lockAll(manager, scope, commits.map(idOf));
      const found = commits.flatMap((one) => {
        const current = rows.get(idOf(one));
        return current === undefined ? [] : [{ one, current }];
      });
      const leases = found.flatMap(({ one: { by } }) => (by instanceof Lease ? [by] : []));
      const overruled = await Lease.finish(manager, scope, leases);
      const versions: NewVersion[] = [];
      for (const { one, current } of found) {
        const change = one.change(current, overruled.get(idOf(one)) ?? []);
        await this.requireTurn(manager, one, current);
        versions.push({ version: one.version, current, change, alongside: one.alongside });
      }
      return versions.length === 0 ? new Map() : this.versions.write(manager, scope, versions);
    });
  }

  /** @throws TextChanged when the text is not the one that was drafted on, or a job that came before has not ended. */
  private async requireTurn(
    manager: Queryable,
    { version, by }: Commit,
    current: DocumentRow,
  ): Promise<void> {
    const { scope, document, strategy } = version.draft;
    if (strategy === 'add' && current.text_version !== document.text_version) throw new TextChanged();
    if (by instanceof Lease || current.progress === null) return;
    if (await this.jobs.hasEarlier(scope, current.external_id, by.after, manager)) throw new TextChanged();
  }

  private async place(
    row: DocumentRow,
    { strategy, source, chunks }: NewContent,
    { document, pieces, chunkMetadata }: RuledContent,
    { title, ends, background }: Surroundings,
  ): Promise<Placement> {
    const { text, textType: contentType } = document;
    if (pieces !== null || source.kind === 'file') {
      const hints = { contentType, title, ...(chunks && { chunks }) };
      const split = pieces ?? (await this.reader.split(text.slice(), hints, { background }));
      // Rules for chunks may have rewritten what a context repeats.
      const standing =
        chunkMetadata === null
          ? split
          : await this.reader.withContexts(text.slice(), split, hints, { background });
      return inPieces(row, strategy, document, standing);
    }
    const { lead, above, ...placed } = addsTo(row, strategy)
      ? afterText(row, text.slice(), ends?.last ?? null)
      : asWholeText(text.slice(), strategy === 'add' ? row.page_count : null);
    const hints = { contentType: placed.chunkType, lead, title, above, ...(chunks && { chunks }) };
    return { ...placed, pieces: await this.reader.split(placed.tail, hints, { background }) };
  }

  private reportTo(scope: Scope, row: DocumentRow, step: Step): (share: number) => Promise<void> {
    return (share) => this.documents.setProgress(scope, row.external_id, progressAt(step, share));
  }
}

function idOf({ version }: Commit): string {
  return version.draft.document.external_id;
}

/** The title of a document under a name, for an addition behind its text; what stands there already keeps its own. */
function titleOfRow(
  { additional_metadata: facts, page_count: pages, chunk_count: chunks }: DocumentRow,
  { first }: DocumentEnds,
  filename: string | null,
): string | null {
  return titleOf({
    own: facts['title'],
    // A blank line will follow what is the whole text so far.
    head: chunks === 1 ? `${first.content}\n\n` : first.content,
    contentType: first.content_type,
    hasPages: pages !== null,
    filename,
  });
}
