import { closeName } from './close-name.js';
import type { InvalidItem, Location } from '../../../errors/index.js';
import { selectsDocuments, synonymOf, wouldSelectDocuments } from './synonyms.js';

/** The names that one place of a route reads, and how its callers are to be treated. */
export interface ReadNames {
  /** Location of the place: `['body']`, `['query']`. */
  readonly place: Location;
  readonly known: readonly string[];
  /** The names that the other place of the request reads. */
  readonly elsewhere: { readonly place: string; readonly known: readonly string[] };
  /** Whether every unknown name is refused. */
  readonly isStrict: boolean;
  /**
   * Whether the route implements the API of another service, whose clients send members that mean nothing here. Then
   * only names that select documents are taken for mistakes.
   */
  readonly isForeign: boolean;
}

export interface JudgedNames {
  readonly refused: readonly InvalidItem[];
  readonly ignored: readonly string[];
}

/**
 * Decides on the unknown members of a request. One that probably means a known member, or that selects documents at another
 * route, is refused, because a misspelt filter must not answer unfiltered. Others are ignored. A member that is null asks
 * for nothing.
 */
export function judgeNames(given: Readonly<Record<string, unknown>>, names: ReadNames): JudgedNames {
  const refused: InvalidItem[] = [];
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (names.known.includes(name)) continue;
    const hint = value === null ? undefined : hintFor(name, names);
    if (hint === undefined && !names.isStrict) ignored.push(name);
    else refused.push(extra([...names.place, name], hint));
  }
  return { refused, ignored };
}

const NOT_SELECTED = 'this route does not select documents by it';
const FILTERS = ['filters', 'document_filters'];

/** Returns what the caller probably meant; undefined: the member is no mistake. */
function hintFor(name: string, { known, elsewhere, isForeign }: ReadNames): string | undefined {
  const meant = synonymOf(name, known) ?? closeName(name, known);
  if (isForeign) {
    if (meant !== undefined) {
      return selectsDocuments(meant) && !name.startsWith('user') ? `did you mean "${meant}"?` : undefined;
    }
    return selectsDocuments(name) && name !== 'end_user_id' ? NOT_SELECTED : undefined;
  }
  if (meant !== undefined) return `did you mean "${meant}"?`;
  const there = synonymOf(name, elsewhere.known) ?? closeName(name, elsewhere.known);
  if (there !== undefined && selectsDocuments(there)) return `"${there}" belongs into the ${elsewhere.place}`;
  const filters = FILTERS.find((one) => known.includes(one) || elsewhere.known.includes(one));
  if (filters !== undefined && wouldSelectDocuments(name)) return `${NOT_SELECTED}: use "${filters}"`;
  return selectsDocuments(name) ? NOT_SELECTED : undefined;
}

function extra(loc: Location, hint: string | undefined): InvalidItem {
  const msg = 'Extra inputs are not permitted';
  return { loc, msg: hint === undefined ? msg : `${msg}: ${hint}`, type: 'extra_forbidden' };
}

const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 64;

/** Returns the value of the header that lists ignored names. Names are cut, and lose what a header cannot have. */
export function ignoredHeader(names: readonly string[]): string {
  const shown = names
    .slice(0, MAX_NAMES)
    .map((name) => name.slice(0, MAX_NAME_LENGTH).replaceAll(/[^\w.[\]-]/g, '?'));
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

const STRICT = /(?:^|[,;])\s*handling\s*=\s*"?strict"?\s*(?:[,;]|$)/i;

/** Whether a request asks that unknown members are refused (RFC 7240, section 4.4). */
export function wantsStrictHandling(prefer: string | readonly string[] | undefined): boolean {
  return STRICT.test([prefer ?? ''].flat().join(','));
}
