import type { Archive } from '../archive/archive.js';
import { element, parseXml, textOf } from '../xml/xml-tree.js';

/** What an Office Open XML file says of itself (ECMA-376 part 2, core properties); empty when it says nothing. */
export async function officeProperties(archive: Archive): Promise<Record<string, unknown>> {
  const source = await archive.text('docProps/core.xml');
  if (source === undefined) return {};
  const core = parseXml(source);
  const property = (name: string): string | undefined => {
    const found = element(core, name);
    return found === undefined ? undefined : textOf(found);
  };
  return {
    title: property('title'),
    author: property('creator'),
    subject: property('subject'),
    keywords: property('keywords'),
    description: property('description'),
    language: property('language'),
    created_at: property('created'),
    modified_at: property('modified'),
  };
}
