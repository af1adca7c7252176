import { elements, type XmlElement } from '../xml/xml-tree.js';
import { attr, childSwitch, relationshipId } from './word-xml.js';

/** Reading order of header kinds. */
const KINDS = ['first', 'default', 'even'];

/** Ids of all printed headers, then footers, without duplicates. */
export function printedMargins(sections: readonly XmlElement[], settings: XmlElement | undefined): string[] {
  const hasFirst = sections.some((section) => childSwitch(section, 'titlePg') === true);
  const hasEven = childSwitch(settings, 'evenAndOddHeaders') === true;
  const ids = ['headerReference', 'footerReference'].flatMap((name) =>
    KINDS.filter((kind) => (kind === 'first' ? hasFirst : kind !== 'even' || hasEven)).flatMap((kind) =>
      sections
        .flatMap((section) => elements(section, name))
        .filter((reference) => (attr(reference, 'type') ?? 'default') === kind)
        .map((reference) => relationshipId(reference)),
    ),
  );
  return [...new Set(ids)];
}
