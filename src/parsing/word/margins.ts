import { elements, type XmlElement } from '../xml/xml-tree.js';
import { attr, childSwitch, relationshipId } from './word-xml.js';

/** The order in which the headers of a document are read. */
const KINDS = ['first', 'default', 'even'];

/** Ids of the headers, and then of the footers, that are printed somewhere in the document; each once. */
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
