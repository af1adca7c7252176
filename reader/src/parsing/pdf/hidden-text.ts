import { containsCentre, type PageRectangle } from './page-rectangle.js';
import type { Colour, PageObject } from './page-objects.js';
import { contrastIn, type GreyPixels } from './page-raster.js';

/** What a viewer shows of the text of a page. */
export interface ShownText {
  /** Text objects that a viewer does not show. */
  readonly hidden: ReadonlySet<number>;
  /** Whether a picture has a text layer: invisible text, or text below the picture. */
  readonly hasTextLayer: boolean;
}

/** Layers of a file that are switched off. */
export interface Layers {
  /** Names of layers that are off and share their name with no other layer. */
  readonly off: ReadonlySet<string>;
  readonly areAllOn: boolean;
}

/** Maximum difference of a colour from its background, 0 to 255 per channel, that nobody sees. */
const SAME_COLOUR = 12;
const TRANSPARENT = 16;
const WHITE: Colour = [255, 255, 255, 255];

/** Maximum contrast of a part of the page in which nothing is seen. */
const BLANK = 12;

/** Share of a text's height and width that is examined, to leave out lines around it. */
const INNER = 0.8;

/**
 * Finds text that a viewer does not show: on a layer that is off, invisible without a picture below it, in the colour of
 * its background, or covered. The objects only raise a suspicion: the drawn page must show nothing at that place.
 *
 * @param objects in drawing order
 * @param draw draws the page; called only if there is a suspicion
 */
export function shownText(objects: readonly PageObject[], layers: Layers, draw: () => GreyPixels): ShownText {
  const page = new Page(objects);
  const hidden = new Set<number>();
  let hasTextLayer = false;
  let pixels: GreyPixels | undefined;
  const isBlank = (text: PageObject): boolean => contrastIn((pixels ??= draw()), innerPart(text)) <= BLANK;
  for (let index = 0; index < objects.length; index += 1) {
    const text = objects[index];
    if (text?.kind !== 'text' || (layers.areAllOn && !page.maySuspect(index))) continue;
    if (text.width === 0 || text.height === 0) continue; // a space
    const isOff = text.layers.some((name) => layers.off.has(name));
    if (isOff) hidden.add(text.object);
    else if (text.isInvisible) {
      const isLayer = page.hasPictureAt(text) || (!isBlank(text) && !page.hasTextAt(text));
      if (isLayer) hasTextLayer = true;
      else hidden.add(text.object);
    } else if (!layers.areAllOn || page.isSuspect(index)) {
      if (isBlank(text)) hidden.add(text.object);
      else hasTextLayer ||= page.isBelowPicture(index);
    }
  }
  return { hidden, hasTextLayer };
}

/** Number of bands into which the height of a page is divided, to find the objects at a place. */
const BANDS = 128;

/** An object with its position in the drawing order. */
interface Drawn {
  readonly index: number;
  readonly object: PageObject;
}

/** The objects of a page by place. */
class Page {
  /** Rectangles and pictures, and visible texts. */
  private readonly covers = bands();
  private readonly texts = bands();

  /** Position of the last rectangle or picture. */
  private lastCover = -1;
  private readonly backgrounds = new Map<string, Colour>([[WHITE.join(), WHITE]]);

  constructor(private readonly objects: readonly PageObject[]) {
    const hasInvisible = objects.some(({ isInvisible }) => isInvisible);
    for (let index = 0; index < objects.length; index += 1) {
      const object = objects[index];
      if (object === undefined || (object.kind === 'text' && (object.isInvisible || !hasInvisible))) continue;
      const own = object.kind === 'text' ? this.texts : this.covers;
      if (object.kind !== 'text') this.lastCover = index;
      if (object.kind === 'path') this.backgrounds.set(object.colour.join(), object.colour);
      const last = bandAt(object.top + object.height);
      for (let band = bandAt(object.top); band <= last; band += 1) own[band]?.push({ index, object });
    }
  }

  hasPictureAt(text: PageObject): boolean {
    return near(this.covers, text).some(
      ({ object }) => object.kind !== 'path' && containsCentre(object, text),
    );
  }

  hasTextAt(text: PageObject): boolean {
    return near(this.texts, text).some(({ object }) => containsCentre(object, text));
  }

  isBelowPicture(index: number): boolean {
    const text = this.objects[index];
    return (
      text !== undefined &&
      near(this.covers, text).some(
        ({ index: at, object }) => at > index && object.kind !== 'path' && contains(object, text),
      )
    );
  }

  /** Whether a text may be hidden wherever it stands. Tells this of most texts without their places, which take time. */
  maySuspect(index: number): boolean {
    const text = this.objects[index];
    if (text === undefined) return false;
    if (text.isInvisible || index < this.lastCover || text.colour[3] <= TRANSPARENT) return true;
    for (const colour of this.backgrounds.values()) if (isSameColour(text.colour, colour)) return true;
    return false;
  }

  /** Whether a text has the colour of its background, or something is drawn over it. */
  isSuspect(index: number): boolean {
    const text = this.objects[index];
    if (text === undefined) return false;
    if (text.colour[3] <= TRANSPARENT) return true;
    let background: Colour | undefined = WHITE;
    for (const { index: at, object } of near(this.covers, text)) {
      if (at > index) {
        if (contains(object, text)) return true;
      } else if (containsCentre(object, text)) {
        const isOpaque = object.kind === 'path' && object.colour[3] > TRANSPARENT;
        background = isOpaque ? object.colour : undefined;
      }
    }
    return isSameColour(text.colour, background ?? WHITE);
  }
}

function bands(): Drawn[][] {
  return Array.from({ length: BANDS }, () => []);
}

function bandAt(top: number): number {
  return Math.min(BANDS - 1, Math.max(0, Math.floor(top * BANDS)));
}

function near(drawn: readonly Drawn[][], text: PageObject): readonly Drawn[] {
  return drawn[bandAt(text.top + text.height / 2)] ?? [];
}

function isSameColour(a: Colour, b: Colour): boolean {
  return [0, 1, 2].every((at) => Math.abs((a[at] ?? 0) - (b[at] ?? 0)) <= SAME_COLOUR);
}

function contains(outer: PageRectangle, text: PageRectangle): boolean {
  const inner = innerPart(text);
  return (
    inner.left >= outer.left &&
    inner.top >= outer.top &&
    inner.left + inner.width <= outer.left + outer.width &&
    inner.top + inner.height <= outer.top + outer.height
  );
}

function innerPart({ left, top, width, height }: PageRectangle): PageRectangle {
  const edge = (1 - INNER) / 2;
  return {
    left: left + width * edge,
    top: top + height * edge,
    width: width * INNER,
    height: height * INNER,
  };
}
