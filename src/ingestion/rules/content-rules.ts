import { Injectable } from '@nestjs/common';
import { DocumentReader, type ParsedDocument, type Piece } from '#reader';
import { overlaid, type TypedMetadata } from '../../metadata/typed-metadata.js';
import type { DocumentText } from '../../corpus/document-text.repository.js';
import { firstFound, type Found } from './extraction.js';
import { type Rule, RuleFailed, type RuleStage } from './rule.js';
import { NOTHING_FOUND, RuleRunner, type RuledText, type RunOptions } from './rule-runner.js';

/** A parsed file. Its text may be outside the JavaScript heap. */
type RuledDocument = Omit<ParsedDocument, 'text'> & { readonly text: DocumentText };

/** Content before or after rules were applied. */
export interface Content {
  readonly document: RuledDocument;
  /** Pieces of the text; null if the text is not split yet. */
  readonly pieces: readonly Piece[] | null;
}

/** Content after rules were applied, ready to store. */
export interface RuledContent extends Content {
  /** Metadata that chunk rules extracted from each piece; null if there are no chunk rules. */
  readonly chunkMetadata: readonly Found[] | null;
  readonly extracted: TypedMetadata;
}

export interface RulesOptions extends Omit<RunOptions, 'onProgress'> {
  /** Whether splitting runs at the low priority of file parsing. */
  readonly background?: boolean;
  /** Receives the share of the chunks that is complete, 0 to 1. */
  readonly onProgress?: (share: number) => Promise<void>;
}

/** Wraps a text as a parsed file. */
export function textContent(text: string): Content {
  return {
    document: {
      contentType: 'text/plain',
      textType: 'text/plain',
      text,
      pages: [],
      pageCount: null,
      properties: {},
    },
    pieces: null,
  };
}

/** Applies the rules of a request: first to the whole content, then to each chunk. */
@Injectable()
export class ContentRules {
  constructor(
    private readonly runner: RuleRunner,
    private readonly reader: DocumentReader,
  ) {}

  /** @throws RuleFailed, TooLongForRules; the abort reason of the current signal. */
  async apply(rules: readonly Rule[], content: Content, options: RulesOptions): Promise<RuledContent> {
    const whole = await this.onWhole(rules, content, options);
    const chunkRules = ofStage(rules, 'post_chunking');
    if (chunkRules.length === 0) return whole;
    const pieces = whole.pieces ?? (await this.split(whole.document, options));
    return this.onChunks(chunkRules, { ...whole, pieces }, options);
  }

  private async onWhole(
    rules: readonly Rule[],
    content: Content,
    options: RulesOptions,
  ): Promise<RuledContent> {
    const parsingRules = ofStage(rules, 'post_parsing');
    const unruled = { ...content, chunkMetadata: null, extracted: NOTHING_FOUND };
    if (parsingRules.length === 0) return unruled;
    const { payer, previousTypes = {} } = options;
    const text = content.document.text.slice();
    const [ruled] = await this.runner.run(parsingRules, [text], { payer, previousTypes });
    if (ruled === undefined || ruled.text === text) {
      return { ...unruled, extracted: ruled?.found ?? NOTHING_FOUND };
    }
    requireText(ruled.text);
    // The page offsets of the file do not apply to the rewritten text.
    const document = { ...content.document, text: ruled.text, pages: [] };
    return { document, pieces: null, chunkMetadata: null, extracted: ruled.found };
  }

  private async onChunks(
    rules: readonly (readonly [number, Rule])[],
    content: RuledContent & { readonly pieces: readonly Piece[] },
    options: RulesOptions,
  ): Promise<RuledContent> {
    const { document, pieces } = content;
    const rewrites = rules.some(([, { type }]) => type === 'natural_language');
    // Rewritten chunks cannot overlap, because their concatenation is the new text.
    const texts = pieces.map(({ start, bodyStart, end }) =>
      document.text.slice(rewrites ? bodyStart : start, end),
    );
    const { payer, previousTypes = {}, onProgress } = options;
    const ruled = await this.runner.run(rules, texts, {
      payer,
      previousTypes,
      ...(onProgress && { onProgress: (done) => onProgress(done / texts.length) }),
    });
    const extracted = ofDocument(content.extracted, ruled);
    if (!rewrites) return { ...content, chunkMetadata: ruled.map(({ found }) => found.metadata), extracted };
    return { ...(await this.rebuilt(document, pieces, ruled, options)), extracted };
  }

  /** Concatenates rewritten chunks. Splits a chunk that exceeds the token budget. */
  private async rebuilt(
    document: RuledDocument,
    pieces: readonly Piece[],
    ruled: readonly RuledText[],
    options: RulesOptions,
  ): Promise<Omit<RuledContent, 'extracted'>> {
    const made: Piece[] = [];
    const chunkMetadata: Found[] = [];
    let text = '';
    for (const [index, { text: body, found }] of ruled.entries()) {
      const offset = text.length;
      text += body;
      for (const part of await this.split({ ...document, text: body }, options)) {
        made.push({
          ...part,
          start: offset + part.start,
          bodyStart: offset + part.bodyStart,
          end: offset + part.end,
          pageNumber: pieces[index]?.pageNumber ?? null,
        });
        chunkMetadata.push(found.metadata);
      }
    }
    requireText(text);
    return { document: { ...document, text, pages: [] }, pieces: tiling(made, text.length), chunkMetadata };
  }

  private split(
    { text, textType }: RuledDocument,
    { background = false }: RulesOptions,
  ): Promise<readonly Piece[]> {
    return this.reader.split(text.slice(), { contentType: textType }, { background });
  }
}

function ofStage(rules: readonly Rule[], stage: RuleStage): (readonly [number, Rule])[] {
  return rules.map((rule, index) => [index, rule] as const).filter(([, rule]) => rule.stage === stage);
}

/** @throws RuleFailed */
function requireText(text: string): void {
  if (text.trim() === '') throw new RuleFailed('The rules removed the whole content', true);
}

/**
 * Extends pieces over the white space of chunks that the rules have emptied, so that the pieces cover the whole text.
 */
function tiling(pieces: readonly Piece[], length: number): Piece[] {
  return pieces.map((piece, index) => ({
    ...piece,
    ...(index === 0 ? { start: 0, bodyStart: 0 } : {}),
    end: pieces[index + 1]?.bodyStart ?? length,
  }));
}

/**
 * Merges metadata for the document. A value from the whole content takes precedence over values from chunks, and the
 * first chunk with a value over later chunks.
 */
function ofDocument(whole: TypedMetadata, chunks: readonly RuledText[]): TypedMetadata {
  const metadata = firstFound(chunks.map(({ found }) => found.metadata)) as TypedMetadata['metadata'];
  const metadataTypes = chunks.reduceRight<TypedMetadata['metadataTypes']>(
    (types, { found }) => ({ ...types, ...found.metadataTypes }),
    {},
  );
  return overlaid({ metadata, metadataTypes }, whole);
}
