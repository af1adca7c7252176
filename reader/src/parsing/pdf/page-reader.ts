import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import type { TextItem, TextMarkedContent } from 'pdfjs-dist/types/src/display/api.js';
import { attachedTo, hasAttachments, type AttachedFile } from './attachments.js';
import { mayHaveCloseLabels, withLabelsApart } from './close-labels.js';
import { formValuesOf } from './form-values.js';
import { runsOfGlyphs } from './glyph-runs.js';
import { shownText, type Layers } from './hidden-text.js';
import { turned } from './layout/directions.js';
import type { TextRun } from './layout/segments.js';
import { isDoubtful, isIllegible } from './legible.js';
import { PageGlyphs, type Glyph } from './page-glyphs.js';
import { objectsOf } from './page-objects.js';
import { drawInGrey } from './page-raster.js';
import { linesOfPage, type TextLine } from './page-text.js';
import type { PdfiumFile } from './pdfium-file.js';
import { pictureShare } from './picture-share.js';
import { needsGlyphs } from './repeated-text.js';
import { hasRightToLeft, isRightToLeft, logicalRuns, mirrored } from './right-to-left.js';
import { edgesOf } from './upright-page.js';
import { UnmappedFonts } from './unmapped-fonts.js';

/** What is read from a page without OCR. */
export interface PageReading {
  readonly lines: readonly TextLine[];
  /** Y of the lower and of the upper edge of the upright page. */
  readonly bottom: number;
  readonly top: number;
  /** Number of characters that a viewer does not show. */
  readonly hiddenCharacters: number;
  readonly recognition: Recognition;
  /** Fonts whose characters may be wrong; undefined if the text of the page is certain. */
  readonly doubtfulFonts?: ReadonlySet<string> | undefined;
  readonly attached: readonly AttachedFile[];
}

/**
 * - `none`: the page is read.
 * - `page`: the page has no text, or its text cannot be read.
 * - `pictures`: the page is a picture with little text, for example a scan with a stamp.
 */
type Recognition = 'none' | 'page' | 'pictures';

/** The text of a page as drawn, and what the objects of the page show about it. */
interface DrawnText {
  readonly runs: readonly TextRun[];
  readonly hiddenCharacters: number;
  /** Share of the page that pictures cover. */
  readonly pictures: number;
  readonly hasTextLayer: boolean;
  /** Share of glyphs without a character. */
  readonly unmapped: number;
  readonly hasAttachments: boolean;
}

/** Maximum font size of text that nobody can read, in points, and minimum height of a page for this rule. */
const UNREADABLE_SIZE = 1;
const MIN_HEIGHT = 100;

/** Maximum objects of a page whose glyphs are read, unless text is hidden. PDFium's time grows with their square. */
const MAX_OBJECTS = 20_000;

/** Resolution at which hidden text is examined. */
const DOTS_PER_INCH = 100;
const MAX_PIXELS = 4_000_000;

/** A page that is a picture has at most this number of letters and digits. A smaller picture allows fewer. */
const MAX_CHARACTERS = 400;
const MIN_PICTURES = 0.15;

/** Minimum number of words of a usable text layer of a scan. */
const MIN_LAYER_WORDS = 5;

export class PageReader {
  private readonly fonts = new UnmappedFonts();

  private constructor(
    private readonly file: PdfiumFile | null,
    private readonly layers: Layers,
    private readonly hasFields: boolean,
  ) {}

  /** @param file the same file in PDFium; null if PDFium cannot open it */
  static async open(pdf: PDFDocumentProxy, file: PdfiumFile | null): Promise<PageReader> {
    const hasFields = (await pdf.getFieldObjects()) !== null;
    return new PageReader(file, await layersOf(pdf), hasFields);
  }

  async read(page: PDFPageProxy): Promise<PageReading> {
    const text = await textOf(page);
    const drawn = this.drawnText(page, text);
    const values = await formValuesOf(page, this.hasFields);
    const isMirrored = hasRightToLeft(drawn.runs) && isRightToLeft(drawn.runs);
    const all = isMirrored ? [...mirrored(drawn.runs), ...mirrored(values)] : [...drawn.runs, ...values];
    const lines = linesOfPage(all);
    const recognition = recognitionOf(lines.map(({ text }) => text).join('\n'), drawn);
    const isIgnored = recognition === 'page';
    const { bottom, top } = edgesOf(page);
    return {
      lines: isIgnored ? [] : lines,
      doubtfulFonts: !isIgnored && isDoubtful(drawn.unmapped) ? text.fonts : undefined,
      bottom,
      top,
      hiddenCharacters: drawn.hiddenCharacters,
      recognition,
      attached: drawn.hasAttachments ? await attachedTo(page) : [],
    };
  }

  private drawnText(page: PDFPageProxy, { runs, fonts }: PageTextLayer): DrawnText {
    const { file } = this;
    const drawn = file?.onPage(page.pageNumber, (handle): DrawnText => {
      const objects = objectsOf(file, handle, !this.layers.areAllOn);
      const shown = shownText(objects, this.layers, () =>
        drawInGrey(file, handle, DOTS_PER_INCH, MAX_PIXELS),
      );
      const own = {
        pictures: pictureShare(objects),
        hasTextLayer: shown.hasTextLayer,
        hasAttachments: hasAttachments(file, handle),
      };
      const isCrowded = objects.length > MAX_OBJECTS && shown.hidden.size === 0;
      const unmapped = isCrowded ? 0 : this.fonts.shareOn(file, handle, fonts);
      const isOtherDirection = hasRightToLeft(runs);
      const reader = new PageGlyphs(file);
      if (isCrowded || (!isOtherDirection && shown.hidden.size === 0 && !needsGlyphs(runs))) {
        const isClose = !isCrowded && mayHaveCloseLabels(runs, objects, edgesOf(page));
        const apart = isClose ? withLabelsApart(runs, reader.onPage(handle), page.rotate) : runs;
        return { runs: apart, hiddenCharacters: 0, unmapped, ...own };
      }
      const all = reader.onPage(handle);
      const glyphs = all.filter(({ object }) => !shown.hidden.has(object));
      const hiddenCharacters = visibleIn(all) - visibleIn(glyphs);
      const upright = (run: TextRun): TextRun => turned(run, -page.rotate);
      const logical = isOtherDirection
        ? logicalRuns(glyphs, runs)
        : withLabelsApart(runsOfGlyphs(glyphs).map(upright), glyphs, page.rotate);
      const isUsable = logical.length > 0 || hiddenCharacters > 0;
      return { runs: isUsable ? logical : runs, hiddenCharacters, unmapped, ...own };
    });
    const found = drawn ?? {
      runs,
      hiddenCharacters: 0,
      pictures: 0,
      hasTextLayer: false,
      unmapped: 0,
      hasAttachments: false,
    };
    const [bottom, top] = [page.view[1] ?? 0, page.view[3] ?? 0];
    if (top - bottom < MIN_HEIGHT) return found;
    const readable = found.runs.filter(({ size }) => size > UNREADABLE_SIZE);
    const tiny = found.runs.filter(({ size }) => size <= UNREADABLE_SIZE);
    const characters = tiny.reduce((sum, { str }) => sum + str.replace(/\s+/g, '').length, 0);
    return { ...found, runs: readable, hiddenCharacters: found.hiddenCharacters + characters };
  }
}

function visibleIn(glyphs: readonly Glyph[]): number {
  return glyphs.filter(({ character }) => character.trim() !== '').length;
}

function recognitionOf(text: string, { pictures, hasTextLayer }: DrawnText): Recognition {
  if (text === '' || isIllegible(text)) return 'page';
  if (pictures < MIN_PICTURES) return 'none';
  const characters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  if (characters > MAX_CHARACTERS * pictures) return 'none';
  return hasTextLayer && text.split(/\s+/).length >= MIN_LAYER_WORDS ? 'none' : 'pictures';
}

interface PageTextLayer {
  readonly runs: readonly TextRun[];
  /** Names of the fonts. */
  readonly fonts: ReadonlySet<string>;
}

async function textOf(page: PDFPageProxy): Promise<PageTextLayer> {
  const { items: found } = await page.getTextContent();
  // Marked content doubles the number of items of many files.
  const mayHaveParts = found.some((item, index) => isPartOfWord(found[index - 1], item));
  const { items } = mayHaveParts
    ? await page.getTextContent({ includeMarkedContent: true })
    : { items: found };
  const runs: TextRun[] = [];
  const fonts = new Set<string>();
  let last: TextItem | undefined;
  let isReplaced = false;
  for (const item of items) {
    if (!('str' in item)) {
      isReplaced ||= item.type === 'beginMarkedContentProps' && isSpan(item);
      continue;
    }
    const str = isReplaced && isPartOfWord(last, item) ? item.str.trimStart() : item.str;
    const [a = 1, b = 0, c = 0, d = 0, x = 0, y = 0] = (item.transform as number[]).map(Number);
    const run = {
      str,
      x,
      y,
      width: item.width,
      size: Math.hypot(c, d) || item.height,
      angle: (Math.atan2(b, a) * 180) / Math.PI,
    };
    runs.push(turned(run, -page.rotate));
    fonts.add(item.fontName);
    last = item;
    isReplaced = false;
  }
  return { runs, fonts };
}

type Item = TextItem | TextMarkedContent;

/** Maximum gap between the parts of a word, in font sizes. */
const TOUCHING = 0.1;

/**
 * Whether an item may continue the word of the item before, though it starts with a space. Browsers draw a space without
 * advance in the place of a soft hyphen, and name the hyphen in a span (`ActualText`) that pdf.js ignores.
 */
function isPartOfWord(own: Item | undefined, next: Item | undefined): boolean {
  if (own === undefined || next === undefined || !('str' in own) || !('str' in next)) return false;
  if (!/^ \p{L}/u.test(next.str) || !/\p{L}$/u.test(own.str)) return false;
  const [a = 0, b = 0, , , x = 0, y = 0] = (own.transform as number[]).map(Number);
  const [, , c = 0, d = 0, nextX = 0, nextY = 0] = (next.transform as number[]).map(Number);
  const most = TOUCHING * Math.hypot(c, d);
  const scale = own.width / (Math.hypot(a, b) || 1);
  return Math.abs(x + a * scale - nextX) <= most && Math.abs(y + b * scale - nextY) <= most;
}

/** Whether marked content is a span outside the structure of the document, whose spans have an id. */
function isSpan(item: object): boolean {
  const { tag, id } = item as { readonly tag?: unknown; readonly id?: unknown };
  return tag === 'Span' && typeof id !== 'string';
}

async function layersOf(pdf: PDFDocumentProxy): Promise<Layers> {
  const config = (await pdf.getOptionalContentConfig()) as Iterable<
    readonly [string, { readonly name: string | null; readonly visible: boolean }]
  >;
  const layers = [...config].map(([, { name, visible }]) => ({ name: name ?? '', isOn: visible }));
  const on = new Set(layers.filter(({ isOn }) => isOn).map(({ name }) => name));
  const off = layers.filter(({ isOn }) => !isOn).map(({ name }) => name);
  return { off: new Set(off.filter((name) => name !== '' && !on.has(name))), areAllOn: off.length === 0 };
}
