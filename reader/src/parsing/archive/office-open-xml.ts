import { posix } from 'node:path';
import { elements, parseXml, textOfChild } from '../xml/xml-tree.js';
import type { Archive } from './archive.js';

/** Core properties of an Office Open XML file (ECMA-376 part 2); an empty object if it has none. */
export async function officeProperties(archive: Archive): Promise<Record<string, unknown>> {
  const source = await archive.text('docProps/core.xml');
  if (source === undefined) return {};
  const core = parseXml(source);
  const property = (name: string): string | undefined => textOfChild(core, name);
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

/** A reference from one part to another. */
export interface Relationship {
  readonly id: string;
  /** Last segment of the type's URL: `slide`, `notesSlide`, `image`... */
  readonly type: string;
  /** Full part name inside the archive. */
  readonly target: string;
}

/** Relationships of the part `name` of an Office Open XML package (ECMA-376 part 2, section 6.5). */
export async function relationshipsOf(archive: Archive, name: string): Promise<Relationship[]> {
  const { dir, base } = posix.parse(name);
  const source = await archive.text(posix.join(dir, '_rels', `${base}.rels`));
  if (source === undefined) return [];
  return elements(parseXml(source), 'Relationship').map(
    ({ attributes: { Id = '', Type = '', Target = '' } }) => ({
      id: Id,
      type: posix.basename(Type),
      target: Target.startsWith('/') ? Target.slice(1) : posix.join(dir, Target),
    }),
  );
}
