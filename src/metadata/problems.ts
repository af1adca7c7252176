import { Invalid, type InvalidItem, type InvalidType, type Location } from '../errors/index.js';

/** Collects what is wrong with an input, so that all of it is reported together. */
export class Problems {
  private readonly items: InvalidItem[] = [];

  add(loc: Location, msg: string, type: InvalidType = 'value_error'): void {
    this.items.push({ loc, msg, type });
  }

  /** @throws Invalid with everything that was added. */
  throwIfAny(): void {
    if (this.items.length > 0) throw new Invalid(this.items);
  }
}
