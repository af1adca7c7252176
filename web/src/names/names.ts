import type { NamedPrincipal } from '../api/lectern.js';
import { idOf } from './principal.js';

type Named = Pick<NamedPrincipal, 'id' | 'name'> & Partial<Pick<NamedPrincipal, 'detail' | 'provided'>>;

/** Ids in one request, whose address must not become too long. */
const AT_ONCE = 50;

/** The names of people and groups. Names that are asked for at the same time are loaded together, and each once. */
export class Names {
  /** null: the service knows no name. */
  private readonly known = new Map<string, Named | null>();
  private readonly wanted = new Set<string>();
  private readonly listeners = new Set<() => void>();

  constructor(private readonly load: (ids: string[]) => Promise<readonly Named[]>) {}

  /** Returns the name, or the id as long as no name is known. @param principal `user:ID` or `group:ID` */
  of(principal: string): string {
    return this.known.get(principal)?.name ?? idOf(principal);
  }

  /** Returns what tells people of one name apart; null: it is not known. */
  detailOf(principal: string): string | null {
    return this.known.get(principal)?.detail ?? null;
  }

  /** Whether it is a group that the identity provider names. */
  isProvided(principal: string): boolean {
    return this.known.get(principal)?.provided ?? false;
  }

  /** Loads names that are not known yet. */
  want(principals: readonly string[]): void {
    const unknown = principals.filter((one) => !this.known.has(one));
    if (unknown.length === 0) return;
    if (this.wanted.size === 0) setTimeout(() => this.loadWanted(), 0);
    for (const one of unknown) this.wanted.add(one);
  }

  learn(named: readonly Named[]): void {
    for (const one of named) this.known.set(one.id, one);
    for (const listener of this.listeners) listener();
  }

  /** Calls the listener when names become known. @returns a function that removes the listener */
  follow(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private loadWanted(): void {
    const ids = [...this.wanted];
    this.wanted.clear();
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      const some = ids.slice(start, start + AT_ONCE);
      for (const id of some) this.known.set(id, null);
      this.load(some).then(
        (named) => this.learn(named),
        () => {
          for (const id of some) this.known.delete(id); // the ids are shown until the names are asked for again
        },
      );
    }
  }
}
