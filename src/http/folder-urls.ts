import type { IncomingMessage } from 'node:http';

const FOLDERS = '/folders/';

/** What stands behind a folder in a URL, by the method. Everything else belongs to its path. */
const BEHIND: Readonly<Record<string, RegExp>> = {
  GET: /\/summary$/,
  PUT: /\/summary$/,
  POST: /\/(move|documents\/[^/]+)$/,
  DELETE: /\/documents\/[^/]+$/,
};

/**
 * Folder paths stand in URLs with their slashes as they are, or %-encoded, and a router knows one segment at a time.
 * Here the slashes within a path are %-encoded, so that `/folders/a/b/move` reaches the route of `/folders/a%2Fb/move`.
 * A leading slash of the path may be there or not.
 */
export function withFolderInOneSegment({
  method = '',
  url = '',
}: Pick<IncomingMessage, 'method' | 'url'>): string {
  if (!url.startsWith(FOLDERS)) return url;
  const end = url.includes('?') ? url.indexOf('?') : url.length;
  const rest = url.slice(FOLDERS.length, end).replace(/^\/+|\/+$/g, '');
  const [behind = ''] = BEHIND[method]?.exec(rest) ?? [];
  const folder = rest.slice(0, rest.length - behind.length).replace(/\/+$/, '');
  return FOLDERS + folder.replaceAll('/', '%2F') + behind + url.slice(end);
}
