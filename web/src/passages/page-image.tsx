import type { JSX } from 'preact';

/**
 * A page image. The link is the service's own URL; if the service is reached by another name, the current origin works
 * too.
 */
export function PageImage({ link, name }: { readonly link: string; readonly name: string }): JSX.Element {
  return <img class="page-image" src={ofThisOrigin(link)} alt={name} loading="lazy" decoding="async" />;
}

function ofThisOrigin(link: string): string {
  if (link.startsWith('data:')) return link;
  const { pathname, search } = new URL(link, location.origin);
  return pathname + search;
}
