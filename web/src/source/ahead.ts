/**
 * Lifetime of a response: long enough to open a citation and read its page. Afterwards the response is requested again,
 * because the document may have been replaced.
 */
const KEPT_MS = 60_000;

/** Caches responses of the service that are requested before they are needed. */
export class Ahead {
  private readonly asked = new Map<string, Promise<unknown>>();

  forget(name: string): void {
    this.asked.delete(name);
  }

  /** Returns the response with a name. Requests it with `load` unless it is cached. */
  get<T>(name: string, load: () => Promise<T>): Promise<T> {
    const known = this.asked.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const asked = load();
    this.asked.set(name, asked);
    asked.catch(() => this.asked.delete(name));
    setTimeout(() => this.asked.delete(name), KEPT_MS);
    return asked;
  }
}
