import { element, elements, type XmlElement } from '../xml/xml-tree.js';
import { textOfBody } from './drawing-text.js';

/** The texts of a diagram (ECMA-376 part 1, section 21.4.2) as a nested list. */
export function smartArtText(model: XmlElement): string {
  const points = new Map(
    elements(element(model, 'ptLst') ?? model, 'pt').map((point) => [
      point.attributes['modelId'] ?? '',
      point,
    ]),
  );
  const children = childrenOf(model);
  const root = [...points].find(([, { attributes }]) => attributes['type'] === 'doc')?.[0];
  const lines: string[] = [];
  const seen = new Set<string>();
  const waiting = [...points.keys()].reverse().map((id) => ({ id, level: 0 })); // points without a parent come last
  if (root !== undefined) waiting.push({ id: root, level: -1 });
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { id, level } = next;
    if (seen.has(id)) continue;
    seen.add(id);
    const text = textOfPoint(points.get(id));
    if (text !== '') lines.push(level > 0 ? `${'  '.repeat(Math.min(level, 8) - 1)}- ${text}` : text);
    for (const child of (children.get(id) ?? []).toReversed()) waiting.push({ id: child, level: level + 1 });
  }
  return lines.join('\n');
}

/** Child points of each point, in order. */
function childrenOf(model: XmlElement): Map<string, string[]> {
  const connections = elements(element(model, 'cxnLst') ?? model, 'cxn')
    .map(({ attributes }) => attributes)
    .filter(({ type = 'parOf' }) => type === 'parOf')
    .sort((a, b) => Number(a['srcOrd'] ?? 0) - Number(b['srcOrd'] ?? 0));
  const children = new Map<string, string[]>();
  for (const { srcId = '', destId = '' } of connections) {
    const known = children.get(srcId);
    if (known === undefined) children.set(srcId, [destId]);
    else known.push(destId);
  }
  return children;
}

function textOfPoint(point: XmlElement | undefined): string {
  const body = element(point, 't');
  return body === undefined ? '' : textOfBody(body).replace(/\s*\n\s*/g, ' ');
}
