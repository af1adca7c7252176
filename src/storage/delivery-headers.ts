import { create as contentDisposition } from 'content-disposition';

/** Types that a browser shows without running anything in them. */
const SHOWN = new Set([
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/tiff',
  'text/plain',
  'text/csv',
  'text/markdown',
]);

/**
 * Headers for stored bytes that somebody uploaded. HTML, SVG, XML and unknown types could run scripts in the origin of
 * the service, so they come as a download without a type; and nothing that is shown may load or run anything. (A PDF
 * has no such policy: browsers refuse to show one in a sandbox, and their viewers have their own.)
 *
 * @param contentType of the stored file; parameters are ignored.
 * @param filename any name, or null.
 */
export function deliveryHeaders(contentType: string, filename: string | null): Record<string, string> {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const shown = SHOWN.has(type);
  return {
    'content-type': shown ? withCharset(type) : 'application/octet-stream',
    'content-disposition': contentDisposition(nameOf(filename), {
      type: shown ? 'inline' : 'attachment',
    }),
    ...(type === 'application/pdf' ? {} : { 'content-security-policy': "default-src 'none'; sandbox" }),
    'x-content-type-options': 'nosniff',
  };
}

/** The last part of a name: what is stored as a path must not lead anywhere where it is saved. */
function nameOf(filename: string | null): string | undefined {
  const name = filename?.split(/[/\\]/).at(-1);
  return name === undefined || /^\.*$/.test(name) ? undefined : name;
}

function withCharset(type: string): string {
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}
