/** Interval between two changes that views are told of while a state changes fast: a frame of a screen. */
const FRAME_MS = 16;

/** A state whose views are told of its changes. */
export class Store<State extends object> {
  private readonly listeners = new Set<() => void>();
  private latest: State;
  private frame: ReturnType<typeof setTimeout> | null = null;
  private isTold = true;

  constructor(private told: State) {
    this.latest = told;
  }

  /** The state that views were told of. It is the same object until the next change. */
  readonly get = (): State => this.told;

  /** Calls `listener` after each change. @returns the function to unsubscribe */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };

  protected get state(): State {
    return this.latest;
  }

  protected update(change: Partial<State>): void {
    this.latest = { ...this.latest, ...change };
    this.tell();
  }

  /** Tells of the first change at once, and of those that follow within a frame together at its end. */
  protected updateOften(change: Partial<State>): void {
    this.latest = { ...this.latest, ...change };
    this.isTold = false;
    if (this.frame === null) this.tellAndWait();
  }

  private tellAndWait(): void {
    this.tell();
    this.frame = setTimeout(() => {
      this.frame = null;
      if (!this.isTold) this.tellAndWait();
    }, FRAME_MS);
  }

  private tell(): void {
    this.told = this.latest;
    this.isTold = true;
    for (const listener of this.listeners) listener();
  }
}
