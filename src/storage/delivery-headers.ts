import { create as contentDisposition } from 'content-disposition';

/** Media types that a browser shows without executing scripts in the content. */
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
 * Returns headers for the delivery of an uploaded file. HTML, SVG, XML and unknown types could run scripts in the
 * origin of the service. Browsers therefore download such files, and the headers do not name their type. For other
 * files, a content security policy prevents the content from loading or executing anything. A PDF has no such policy:
 * browsers refuse to show a PDF in a sandbox, and PDF viewers have a sandbox of their own.
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

/** Returns the base name of a file, so that a path in the name cannot point outside the client's download folder. */
function nameOf(filename: string | null): string | undefined {
  const name = filename?.split(/[/\\]/).at(-1);
  return name === undefined || /^\.*$/.test(name) ? undefined : name;
}

function withCharset(type: string): string {
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}
