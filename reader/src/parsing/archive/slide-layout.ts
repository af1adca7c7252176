import { element, parseXml, type XmlElement } from '../xml/xml-tree.js';
import type { Archive } from './archive.js';
import { shownDescendants } from './drawing-text.js';
import { relationshipsOf, type Relationship } from './office-open-xml.js';
import type { Box } from './reading-order.js';
import { placeholderOf, shapesOf, type Placeholder } from './slide-shapes.js';

/** Properties that a slide inherits from its layout, or a layout from its master (ECMA-376 part 1, section 19.3.1). */
export interface SlideLayout {
  readonly boxOf: (placeholder: Placeholder) => Box | undefined;
  /**
   * Visible texts, including the texts of the master. Excludes placeholders, because their prompts ("Click to add title") are not on the slides.
   */
  readonly texts: readonly string[];
}

const NONE: SlideLayout = { boxOf: () => undefined, texts: [] };

/** Layouts and masters of a presentation, cached. */
export class SlideLayouts {
  private readonly read = new Map<string, Promise<SlideLayout>>();

  constructor(private readonly archive: Archive) {}

  of(relationships: readonly Relationship[]): Promise<SlideLayout> {
    const target = relationships.find(({ type }) => type === 'slideLayout' || type === 'slideMaster')?.target;
    if (target === undefined) return Promise.resolve(NONE);
    const layout = this.read.get(target) ?? this.load(target);
    this.read.set(target, layout);
    return layout;
  }

  private async load(name: string): Promise<SlideLayout> {
    const source = await this.archive.text(name);
    if (source === undefined) return NONE;
    const part = parseXml(source);
    // Only layouts have a master. The relationships of a master lead back to its layouts.
    const master =
      part.name === 'sldMaster' ? NONE : await this.of(await relationshipsOf(this.archive, name));
    const placeholders = [...shownDescendants(part, 'sp'), ...shownDescendants(part, 'pic')]
      .map(placeholderOf)
      .filter((placeholder) => placeholder !== undefined);
    const boxOf = (wanted: Placeholder): Box | undefined => {
      const found =
        placeholders.find(({ index }) => index !== undefined && index === wanted.index) ??
        placeholders.find(({ type }) => type === wanted.type);
      return found?.box ?? master.boxOf({ ...wanted, type: found?.type ?? wanted.type, index: undefined });
    };
    const texts = shapesOf(part, { inherited: () => undefined, frameText: () => '' })
      .filter(({ role, isField }) => role === 'other' && !isField)
      .map(({ text }) => text)
      .filter((text) => text !== '');
    return { boxOf, texts: showsMaster(part) ? [...texts, ...master.texts] : texts };
  }
}

export function showsMaster(part: XmlElement): boolean {
  return element(part, 'cSld') !== undefined && !/^(?:0|false)$/.test(part.attributes['showMasterSp'] ?? '');
}
