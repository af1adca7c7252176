import { strToU8, zipSync } from 'fflate';

export const NAMESPACES =
  'xmlns:w="w" xmlns:m="m" xmlns:r="r" xmlns:w14="w14" xmlns:mc="mc" xmlns:wp="wp" xmlns:a="a" xmlns:wps="wps" xmlns:v="v" xmlns:o="o"';

const CONTENT_TYPES =
  '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';

/** Parts of a Word document besides its body. */
export interface WordParts {
  readonly styles?: string;
  readonly numbering?: string;
  readonly footnotes?: string;
  readonly endnotes?: string;
  readonly comments?: string;
  readonly settings?: string;
  /** Other parts, each with the id and type of its relationship, its name and its content. */
  readonly others?: readonly (readonly [id: string, type: string, name: string, content: string])[];
}

/** Builds a Word document from the XML of its body and other parts. */
export function docx(body: string, { others = [], ...parts }: WordParts = {}): Uint8Array {
  const part = (root: string, content: string): Uint8Array =>
    strToU8(`<w:${root} ${NAMESPACES}>${content}</w:${root}>`);
  return zipSync({
    '[Content_Types].xml': strToU8(CONTENT_TYPES),
    'word/document.xml': part('document', `<w:body>${body}</w:body>`),
    ...Object.fromEntries(
      Object.entries(parts).map(([name, content]: [string, string]) => [
        `word/${name}.xml`,
        part(name, content),
      ]),
    ),
    ...Object.fromEntries(others.map(([, , name, content]) => [`word/${name}`, strToU8(content)])),
    'word/_rels/document.xml.rels': strToU8(
      `<Relationships>${others
        .map(([id, type, name]) => `<Relationship Id="${id}" Type="http://x/${type}" Target="${name}"/>`)
        .join('')}</Relationships>`,
    ),
  });
}

/** A run of text. */
export const r = (text: string, properties = ''): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
/** A paragraph. */
export const p = (content: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
