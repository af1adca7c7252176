import type { JSX } from 'preact';

/**
 * A page image. The link contains the address in PUBLIC_URL, which may differ from the address of the page,
 * so the image is loaded from the origin of the page.
 */
export function PageImage({ link, name }: { readonly link: string; readonly name: string }): JSX.Element {
  return <img class="page-image" src={ofThisOrigin(link)} alt={name} loading="lazy" decoding="async" />;
}

function ofThisOrigin(link: string): string {
  if (link.startsWith('data:')) return link;
  const { pathname, search } = new URL(link, location.origin);
  return pathname + search;
}
