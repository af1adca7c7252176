import { createHash } from 'node:crypto';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import type { EmbeddedFile } from '../archive/embedded-parts.js';
import { ParseFailure } from '../parse-failure.js';
import type { Source } from '../parser.js';
import type { PdfiumFile } from './pdfium-file.js';

/** Maximum number of attached files that are read in one PDF. Each file may need a conversion. */
const MAX_FILES = 100;

/** The files attached to a PDF, and the texts of those that can be read. */
interface Attachments {
  readonly texts: readonly string[];
  /** undefined: no file is attached. */
  readonly files: readonly EmbeddedFile[] | undefined;
}

/** A file that is attached to the document or to a page. */
export interface AttachedFile {
  readonly filename: string;
  /** Absent if the file is linked. */
  readonly content?: Uint8Array | undefined;
}

/** Type of an annotation (fpdf_annot.h, FPDF_ANNOT_FILEATTACHMENT). */
const FILE_ATTACHMENT = 17;

/** Number of annotations of a page that are examined. */
const MAX_ANNOTATIONS = 1_000;

/** Whether a page has file attachments. pdf.js reads all annotations to find them, which costs as much as the page. */
export function hasAttachments({ module }: PdfiumFile, page: number): boolean {
  const count = Math.min(MAX_ANNOTATIONS, module._FPDFPage_GetAnnotCount(page));
  for (let index = 0; index < count; index += 1) {
    const annotation = module._FPDFPage_GetAnnot(page, index);
    const type = module._FPDFAnnot_GetSubtype(annotation);
    module._FPDFPage_CloseAnnot(annotation);
    if (type === FILE_ATTACHMENT) return true;
  }
  return false;
}

/** Files that are attached to places of a page, also to those that are not printed. */
export async function attachedTo(page: PDFPageProxy): Promise<AttachedFile[]> {
  const annotations = (await page.getAnnotations({ intent: 'any' })) as readonly {
    readonly subtype?: unknown;
    readonly file?: AttachedFile;
  }[];
  return annotations.flatMap(({ subtype, file }) =>
    subtype === 'FileAttachment' && file !== undefined ? [file] : [],
  );
}

/**
 * Reads the attached files, for example the content of a portfolio. The PDF is read even if one cannot be read.
 *
 * @param ofPages files that are attached to pages
 */
export async function attachmentsOf(
  pdf: PDFDocumentProxy,
  ofPages: readonly AttachedFile[],
  parseInner: Source['parseInner'],
): Promise<Attachments> {
  const ofDocument = ((await pdf.getAttachments()) ?? {}) as Record<string, AttachedFile>;
  const attached = withoutRepeated([...Object.values(ofDocument), ...ofPages]);
  const texts: string[] = [];
  const files: EmbeddedFile[] = [];
  for (const { filename, content } of attached) {
    if (content === undefined) continue; // the file is linked, not attached
    const size = content.byteLength; // read before parsing, because parsers may detach the bytes
    try {
      if (files.length >= MAX_FILES) throw new ParseFailure(`Only ${MAX_FILES} embedded files are read.`);
      const inner = await parseInner(Uint8Array.from(content), { filename, allowNoText: true });
      files.push({ filename, size, content_type: inner.contentType });
      if (inner.text !== '') texts.push(`Attachment: ${filename}\n\n${inner.text}`);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      files.push({ filename, size, error: error.message });
    }
  }
  return { texts, files: files.length === 0 ? undefined : files };
}

/** The files without those that have the name and content of a file before. */
function withoutRepeated(files: readonly AttachedFile[]): AttachedFile[] {
  const found = new Map<string, AttachedFile>();
  for (const file of files) {
    const hash = createHash('sha256')
      .update(file.content ?? '')
      .digest('hex');
    const key = `${hash} ${file.filename}`;
    if (!found.has(key)) found.set(key, file);
  }
  return [...found.values()];
}
