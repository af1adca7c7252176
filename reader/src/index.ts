/**
 * Reads files: bytes in; pages, text, positions and chunks out. Everything heavy is loaded on first use or runs in
 * separate processes, so this module loads quickly.
 */
export { storableText } from './parsing/storable.js';
export { hasVisibleText, VISIBLE_CHARACTER } from './parsing/visible-text.js';
export { DocumentReader } from './parsing/document-reader.js';
export { titleOfContent } from './parsing/document-title.js';
export { findOffice } from './parsing/office/libre-office.js';
export type { ConvertedPdf } from './parsing/pages/drawn-pages.js';
export type { PageImage, PageView } from './parsing/pages/page-image.js';
export { PageRenderer } from './parsing/pages/page-renderer.js';
export { noText, ParseFailure } from './parsing/parse-failure.js';
export type { ParsedDocument } from './parsing/parser.js';
export { around, type PageRectangle } from './parsing/pdf/page-rectangle.js';
export type { ReadResult } from './parsing/reader/messages.js';
export { FILES_AT_ONCE, Readers } from './parsing/reader/readers.js';
export {
  extensionOf,
  type Format,
  formatOf,
  FORMATS,
  isReadVerbatim,
  isTextual,
  promisedBy,
  promisedFormat,
} from './formats.js';
export {
  type ChunkContext,
  embeddedText,
  NO_CONTEXT,
  printContext,
  type TableContext,
  tableLines,
} from './splitting/outline.js';
export {
  budgetOf,
  type ChunkBudget,
  type ChunkSizes,
  contextTokens,
  USUAL_CHUNKS,
} from './splitting/chunk-budget.js';
export { titleContext } from './splitting/context.js';
export { type Block, blocksOfProse, LIST_ITEM, sentencesOf } from './splitting/blocks.js';
export { outlineOf, type TableHead } from './splitting/outline.js';
export type { Piece } from './splitting/piece.js';
export { titleOf } from './splitting/title.js';
export {
  BYTE_PAIR,
  loadLocalTokenizer,
  loadTokenizer,
  type TokenizerChoice,
} from './tokenizers/load-tokenizer.js';
export { countBytePairs } from './tokenizers/byte-pair.js';
export type { LocalTokenizer, Tokenizer } from './tokenizers/tokenizer.js';
export { type Chunk, read, type Reading, readPage, type ReadOptions } from './read.js';
