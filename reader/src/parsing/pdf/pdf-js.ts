import { InflatedAtOnce } from './inflated-at-once.js';
import type * as PdfJs from 'pdfjs-dist/legacy/build/pdf.mjs';

let loaded: Promise<typeof PdfJs> | undefined;

/**
 * Loads pdf.js, the build that runs on Node 20. The build replaces functions of Node.js by its own, which are several times
 * slower; they are put back, because `push` alone takes a tenth of the time of a page. It inflates streams with
 * `DecompressionStream`, which also takes a tenth.
 */
export function loadPdfJs(): Promise<typeof PdfJs> {
  loaded ??= load();
  return loaded;
}

const REPLACED: readonly (readonly [object, string])[] = [
  [Array.prototype, 'push'],
  [JSON, 'parse'],
  [JSON, 'stringify'],
];

async function load(): Promise<typeof PdfJs> {
  const own = REPLACED.map(([owner, name]) => Object.getOwnPropertyDescriptor(owner, name) ?? {});
  const pdfJs = await import('pdfjs-dist/legacy/build/pdf.mjs');
  await import('pdfjs-dist/legacy/build/pdf.worker.mjs'); // pdf.js would load it with the first file
  for (const [index, [owner, name]] of REPLACED.entries())
    Object.defineProperty(owner, name, own[index] ?? {});
  Object.defineProperty(globalThis, 'DecompressionStream', { value: InflatedAtOnce });
  return pdfJs;
}
