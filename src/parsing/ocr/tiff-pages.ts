/** One picture of a TIFF file. */
export interface TiffPage {
  readonly width: number;
  readonly height: number;
  /** The whole file with this page as its first: what reads one picture reads this one. */
  readonly image: () => Uint8Array;
}

const MOST_PAGES = 5_000;
const [WIDTH, HEIGHT] = [256, 257];
const SHORT = 3;

/** Pages of a TIFF file by its chain of directories (TIFF 6.0, section 2); empty when it is none. */
export function tiffPages(bytes: Uint8Array): TiffPage[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const order = bytes.length < 8 ? 0 : view.getUint16(0);
  const little = order === 0x4949;
  if ((!little && order !== 0x4d4d) || view.getUint16(2, little) !== 42) return [];
  const pages: TiffPage[] = [];
  const seen = new Set<number>();
  for (let at = view.getUint32(4, little); at !== 0 && !seen.has(at) && pages.length < MOST_PAGES;) {
    seen.add(at);
    const end = at + 2 > bytes.length ? Infinity : at + 2 + view.getUint16(at, little) * 12;
    if (end + 4 > bytes.length) break; // cut off: the pages so far are whole
    const fields = new Map<number, number>();
    for (let field = at + 2; field < end; field += 12) {
      const isShort = view.getUint16(field + 2, little) === SHORT;
      fields.set(
        view.getUint16(field, little),
        isShort ? view.getUint16(field + 8, little) : view.getUint32(field + 8, little),
      );
    }
    const offset = at;
    pages.push({
      width: fields.get(WIDTH) ?? 0,
      height: fields.get(HEIGHT) ?? 0,
      image() {
        const copy = bytes.slice();
        new DataView(copy.buffer).setUint32(4, offset, little);
        return copy;
      },
    });
    at = view.getUint32(end, little);
  }
  return pages;
}
