import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';

type Labelled = Pick<RetrievedChunk, 'filename' | 'documentId' | 'pageNumber'>;

/**
 * How a chunk is cited: `manual.pdf, page 3`; the page is left out when it is not known, and the document's id
 * stands in for a missing filename.
 */
export function passageLabel({ filename, documentId, pageNumber }: Labelled): string {
  const name = filename ?? documentId;
  return pageNumber === null ? name : `${name}, page ${pageNumber}`;
}
