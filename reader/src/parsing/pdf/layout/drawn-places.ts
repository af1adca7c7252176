/** Maximum distance of text that is drawn again to look bold or shadowed, in font sizes. */
const REPEATED = 0.14;

/** The texts drawn on a page and their places, to find a text that is drawn again at nearly the same place. */
export class DrawnPlaces {
  private readonly places = new Map<string, (readonly [number, number])[]>();

  /** @returns false if the text was drawn before, at nearly the same place */
  add(text: string, x: number, y: number, size: number): boolean {
    const most = Math.max(size, 1) * REPEATED;
    const [column, row] = [Math.round(x / most), Math.round(y / most)];
    for (let dx = -1; dx <= 1; dx += 1) {
      for (let dy = -1; dy <= 1; dy += 1) {
        const near = this.places.get(`${column + dx} ${row + dy} ${text}`) ?? [];
        if (near.some(([otherX, otherY]) => Math.abs(otherX - x) <= most && Math.abs(otherY - y) <= most))
          return false;
      }
    }
    const key = `${column} ${row} ${text}`;
    const own = this.places.get(key);
    if (own === undefined) this.places.set(key, [[x, y]]);
    else own.push([x, y]);
    return true;
  }
}
