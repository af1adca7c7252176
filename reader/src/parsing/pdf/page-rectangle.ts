/** A rectangle on an upright page, in fractions of its width and height from the top left. */
export interface PageRectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the smallest rectangle around all rectangles. */
export function around(rectangles: readonly PageRectangle[]): PageRectangle {
  const left = Math.min(...rectangles.map((one) => one.left));
  const top = Math.min(...rectangles.map((one) => one.top));
  const right = Math.max(...rectangles.map((one) => one.left + one.width));
  const bottom = Math.max(...rectangles.map((one) => one.top + one.height));
  return { left, top, width: right - left, height: bottom - top };
}

export function containsCentre(outer: PageRectangle, inner: PageRectangle): boolean {
  const [x, y] = [inner.left + inner.width / 2, inner.top + inner.height / 2];
  return x >= outer.left && x <= outer.left + outer.width && y >= outer.top && y <= outer.top + outer.height;
}
