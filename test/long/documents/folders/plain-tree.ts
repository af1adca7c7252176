/** A simple folder tree in memory: the model that the service must agree with. */
export class PlainTree {
  /** Paths of all folders. */
  private folders = new Set<string>();
  /** Folder path of each document; null: no folder. */
  private documents = new Map<string, string | null>();

  has(path: string): boolean {
    return this.folders.has(path);
  }

  paths(): string[] {
    return [...this.folders].sort(byBytes);
  }

  ids(): string[] {
    return [...this.documents.keys()];
  }

  placeOf(id: string): string | null | undefined {
    return this.documents.get(id);
  }

  create(path: string): void {
    for (const one of lineage(path)) this.folders.add(one);
  }

  ingest(id: string, path: string | null): void {
    if (path !== null) this.create(path);
    this.documents.set(id, path);
  }

  /** Creates a folder. @returns the expected status */
  put(id: string | undefined, path: string): number {
    if (id === undefined || !this.documents.has(id) || !this.folders.has(path)) return 404;
    this.documents.set(id, path);
    return 200;
  }

  takeOut(id: string | undefined, path: string): number {
    if (id === undefined || !this.folders.has(path) || this.documents.get(id) !== path) return 404;
    this.documents.set(id, null);
    return 200;
  }

  move(from: string, to: string): number {
    if (!this.folders.has(from)) return 404;
    if (to === from) return 200;
    if (isWithin(to, from)) return 422;
    if (this.folders.has(to)) return 409;
    const moved = (path: string): string => (isWithin(path, from) ? to + path.slice(from.length) : path);
    this.folders = new Set([...this.folders].map(moved));
    this.documents = new Map(
      [...this.documents].map(([id, path]) => [id, path === null ? null : moved(path)]),
    );
    this.create(to);
    return 200;
  }

  delete(path: string, recursive: boolean): number {
    if (!this.folders.has(path)) return 404;
    const gone = this.paths().filter((one) => isWithin(one, path));
    if (gone.length > 1 && !recursive) return 409;
    for (const [id, place] of this.documents) {
      if (place !== null && gone.includes(place)) this.documents.delete(id);
    }
    for (const one of gone) this.folders.delete(one);
    return 200;
  }

  /** Returns the child folders; null: the top level. */
  children(path: string | null): string[] {
    return this.paths().filter((one) => parentOf(one) === path);
  }

  /** Returns the documents in a folder and up to `depth` levels below it (-1: all). */
  within(path: string, depth: number): string[] {
    return this.ids()
      .filter((id) => {
        const place = this.documents.get(id) ?? null;
        if (place === null || !isWithin(place, path)) return false;
        const levels = place.split('/').length - path.split('/').length;
        return depth < 0 || levels <= depth;
      })
      .sort();
  }
}

export function parentOf(path: string): string | null {
  const parent = path.split('/').slice(0, -1).join('/');
  return parent === '' ? null : parent;
}

function isWithin(path: string, ancestor: string): boolean {
  return path === ancestor || path.startsWith(`${ancestor}/`);
}

function lineage(path: string): string[] {
  const parent = parentOf(path);
  return parent === null ? [path] : [...lineage(parent), path];
}

/** Sorts like the "C" collation. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
