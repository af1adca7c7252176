import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { EmbeddedFile } from '../archive/embedded-parts.js';
import { ParseFailure } from '../parse-failure.js';
import type { Source } from '../parser.js';

/** Maximum number of attached files that are read in one PDF. Each file may need a conversion. */
const MAX_FILES = 100;

/** The files attached to a PDF, and the texts of those that can be read. */
interface Attachments {
  readonly texts: readonly string[];
  /** undefined: no file is attached. */
  readonly files: readonly EmbeddedFile[] | undefined;
}

/** Reads the attached files, for example the content of a portfolio. The PDF is read even if one cannot be read. */
export async function attachmentsOf(
  pdf: PDFDocumentProxy,
  parseInner: Source['parseInner'],
): Promise<Attachments> {
  const attached = Object.values(
    ((await pdf.getAttachments()) ?? {}) as Record<
      string,
      { readonly filename: string; readonly content: Uint8Array | undefined }
    >,
  );
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
