/** The package has no types of its worker, which is only loaded. */
declare module 'pdfjs-dist/legacy/build/pdf.worker.mjs';
