import { create as contentDisposition } from 'content-disposition';

/** Types that a browser shows without executing content. */
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
 * Returns headers for the delivery of an uploaded file. HTML, SVG, XML and unknown types could run scripts in the origin
 * of the service, so they are downloads without a type. A policy stops shown content from loading or executing anything.
 * PDF has no policy: browsers refuse to show one in a sandbox, and their viewers have their own.
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

/** Returns the base name, so that a stored path cannot leave the client's download folder. */
function nameOf(filename: string | null): string | undefined {
  const name = filename?.split(/[/\\]/).at(-1);
  return name === undefined || /^\.*$/.test(name) ? undefined : name;
}

function withCharset(type: string): string {
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}
