import { SaxesParser } from 'saxes';

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/**
 * Replaces elements in the source of an XML document and leaves all else as it is written.
 * @param names local names of the elements that may be replaced.
 * @param replacement what takes the place of an element, given its source; undefined leaves it, with what is replaced inside.
 */
export function replaceElements(
  xml: string,
  names: ReadonlySet<string>,
  replacement: (name: string, source: string) => string | undefined,
): string {
  const parser = new SaxesParser();
  const open: number[] = [];
  const replaced: Replacement[] = [];
  parser.on('opentagstart', ({ name }) => {
    if (names.has(localName(name))) open.push(xml.lastIndexOf('<', parser.position - 1));
  });
  parser.on('closetag', ({ name }) => {
    if (!names.has(localName(name))) return;
    const [start, end] = [open.pop() ?? 0, parser.position];
    const by = replacement(localName(name), xml.slice(start, end));
    if (by === undefined) return;
    while ((replaced.at(-1)?.start ?? -1) > start) replaced.pop();
    replaced.push({ start, end, by });
  });
  parser.write(xml).close();
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, by } of replaced) {
    parts.push(xml.slice(at, start), by);
    at = end;
  }
  return [...parts, xml.slice(at)].join('');
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
