/** Long enough between resting on a citation and reading its page; then a replaced document is drawn again. */
const KEPT_MS = 60_000;

/** Answers of the service that may be asked for ahead of their use. */
export class Ahead {
  private readonly asked = new Map<string, Promise<unknown>>();

  /** The answer under a name, asked for by `load` unless it was lately. */
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
