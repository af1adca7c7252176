import { strToU8, zipSync } from 'fflate';

const OPEN = 'http://schemas.openxmlformats.org';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** A Word document with the given paragraphs on each page. */
export function wordFile(pages: readonly (readonly string[])[]): Uint8Array<ArrayBuffer> {
  const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const body = pages
    .map((texts) => texts.map(paragraph).join(''))
    .join('<w:p><w:r><w:br w:type="page"/></w:r></w:p>');
  return zipSync({
    '[Content_Types].xml': strToU8(
      `${DECLARATION}<Types xmlns="${OPEN}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    ),
    '_rels/.rels': strToU8(
      `${DECLARATION}<Relationships xmlns="${OPEN}/package/2006/relationships"><Relationship Id="r1" Type="${OPEN}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    'word/document.xml': strToU8(
      `${DECLARATION}<w:document xmlns:w="${OPEN}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ),
  });
}
