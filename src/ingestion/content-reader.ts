import { Injectable } from '@nestjs/common';
import { DocumentReader } from '#reader';
import type { DocumentRow } from '../corpus/document-row.js';
import { ObjectStore } from '../storage/object-store.js';
import type { RuledSource } from './job.js';
import type { Lease } from './lease.js';
import { ProgressWriter } from './progress.js';
import { Quotas, type Counted } from '../quotas/quotas.service.js';
import { ContentRules, textContent, type Content, type RuledContent } from './rules/content-rules.js';
import type { NewContent } from './version.js';

export interface BackgroundWork {
  readonly lease: Lease;
  /** Reports the completed share of the step, 0 to 1. */
  readonly report: (share: number) => Promise<void>;
}

/** Properties of the content that are known before it is read. */
interface ContentHints {
  /** Title of the document; undefined if the content determines the title. */
  readonly title: string | null | undefined;
  /** Whether to accept a file without text, because its page images are indexed. */
  readonly allowNoText: boolean;
  /** Whose quotas the recognised pages and the tokens of rules count for. */
  readonly payer: Counted;
}

type ParseHints = ContentHints & Pick<NewContent, 'chunks'> & { readonly name: string | null };

/** Reads content from its source and applies its rules. */
@Injectable()
export class ContentReader {
  constructor(
    private readonly objects: ObjectStore,
    private readonly reader: DocumentReader,
    private readonly rules: ContentRules,
    private readonly quotas: Quotas,
  ) {}

  /**
   * @param row row of the document
   * @returns the content after the rules were applied, and the outcome of the rules. A retry passes this outcome to the
   * method, so that the rules do not run again.
   * @throws ParseFailure, RuleFailed, TooLongForRules, LeaseLost; the abort reason of the current signal.
   */
  async read(
    row: DocumentRow,
    { source, filename: name, rules, ruled, chunks }: NewContent,
    hints: ContentHints,
    work?: BackgroundWork,
  ): Promise<RuledContent & { readonly ruled: RuledSource }> {
    const content = await this.parse(source, { ...hints, name, chunks }, work);
    if (ruled !== undefined) return { ...withOutcome(content, ruled), ruled };
    const applied = await this.rules.apply(rules, content, {
      background: work !== undefined,
      payer: hints.payer,
      previousTypes: row.metadata_types,
      ...(work && { onProgress: work.report }),
    });
    const outcome = outcomeOf(content, applied);
    if (rules.length > 0) await work?.lease.keepRuled(outcome);
    return { ...applied, ruled: outcome };
  }

  private async parse(
    source: NewContent['source'],
    { title, allowNoText, name, chunks, payer }: ParseHints,
    work?: BackgroundWork,
  ): Promise<Content> {
    if (source.kind === 'inline') return textContent(source.text);
    if (source.kind === 'chunks') throw new Error('stored chunks are not read again');
    const bytes = await this.objects.getBytes(source.key);
    if (source.kind === 'text') return textContent(bytes.toString('utf8'));
    await work?.report(0);
    const progress = new ProgressWriter(async (share) => work?.report(share));
    const { filename, declaredType } = source;
    // The pages are known when the file was read.
    const settle = await this.quotas.use(payer, 'pages', mayNeedRecognition(bytes) ? 1 : 0);
    const content = await this.reader.read(
      bytes,
      {
        filename,
        name,
        declaredType,
        allowNoText,
        ...(title === undefined ? {} : { title }),
        ...(chunks && { chunks }),
      },
      {
        onProgress: ({ step, done, total }) => {
          progress.report((done / total) * 0.5 + (step === 'splitting' ? 0.5 : 0));
        },
      },
    );
    await progress.end();
    await settle(recognisedPages(content));
    return content;
  }
}

/** Beginnings of PDF, PNG, JPEG, GIF, TIFF and WebP. */
const PICTURES = ['%PDF', '\x89PNG', '\xff\xd8\xff', 'GIF8', 'II*\0', 'MM\0*', 'RIFF'];

function mayNeedRecognition(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 1_024).toString('latin1');
  return PICTURES.some((mark) => (mark === '%PDF' ? head.includes(mark) : head.startsWith(mark)));
}

function recognisedPages({ document }: Content): number {
  const { pages } = document.properties as { readonly pages?: unknown };
  if (!Array.isArray(pages)) return 0;
  return pages.filter((page: { readonly text_source?: unknown }) => page.text_source === 'ocr').length;
}

function withOutcome(
  { document, pieces }: Content,
  { text, pieces: made, chunkMetadata, extracted }: RuledSource,
): RuledContent {
  return {
    document: text === null ? document : { ...document, text, pages: [] },
    pieces: made ?? (text === null ? pieces : null),
    chunkMetadata,
    extracted,
  };
}

function outcomeOf(
  before: Content,
  { document, pieces, chunkMetadata, extracted }: RuledContent,
): RuledSource {
  return {
    text: document.text === before.document.text ? null : document.text.slice(),
    pieces: chunkMetadata === null ? null : pieces,
    chunkMetadata,
    extracted,
  };
}
