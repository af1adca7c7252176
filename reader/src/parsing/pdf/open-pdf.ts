import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { ParseFailure } from '../parse-failure.js';
import { loadPdfJs } from './pdf-js.js';

/** End mark of a PDF; some writers append data after it. */
const END_MARK = '%%EOF';
const END_WINDOW = 4_096;

export function hasPdfEnd(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(-END_WINDOW)).includes(END_MARK);
}

/** Whether the file is encrypted. Most encrypted files open without a password, and only restrict what viewers offer. */
export function mayNeedPassword(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('/Encrypt');
}

/**
 * Opens a PDF without network, scripts or system fonts: character maps and fonts come from the installed package. Takes
 * ownership of the bytes.
 *
 * @throws ParseFailure if the file is encrypted, truncated or damaged.
 */
export async function openPdf(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  if (!hasPdfEnd(bytes)) {
    throw new ParseFailure('The PDF is truncated: upload the whole file again.');
  }
  const { getDocument } = await loadPdfJs();
  const assets = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  try {
    return await getDocument({
      data: bytes,
      cMapUrl: `${join(assets, 'cmaps')}/`,
      cMapPacked: true,
      standardFontDataUrl: `${join(assets, 'standard_fonts')}/`,
      wasmUrl: `${join(assets, 'wasm')}/`,
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      isEvalSupported: false,
      verbosity: 0,
    }).promise;
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new ParseFailure(
        'The PDF is protected by a password: remove the protection and upload it again.',
        { cause: error, defect: 'protected' },
      );
    }
    throw new ParseFailure('The PDF is damaged: open it in a viewer, save it again and upload that.', {
      cause: error,
    });
  }
}

/** Document properties; only text entries are used. */
export async function pdfProperties(pdf: PDFDocumentProxy): Promise<Record<string, unknown>> {
  const { PDFDateString } = await loadPdfJs();
  const { info } = await pdf.getMetadata();
  const entries = info as Record<string, unknown>;
  const text = (name: string): string | undefined => {
    const value = entries[name];
    return typeof value === 'string' ? value : undefined;
  };
  const date = (name: string): string | undefined => {
    const parsed = PDFDateString.toDateObject(text(name) ?? '');
    return parsed === null || Number.isNaN(parsed.getTime()) ? undefined : parsed.toISOString();
  };
  return {
    title: text('Title'),
    author: text('Author'),
    subject: text('Subject'),
    keywords: text('Keywords'),
    language: text('Language'),
    producer: text('Producer'),
    created_at: date('CreationDate'),
    modified_at: date('ModDate'),
  };
}
