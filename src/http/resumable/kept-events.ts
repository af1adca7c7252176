import type { PrintedEvent } from '../event-text.js';

/** Memory of an event besides its text, in bytes. */
const OVERHEAD = 64;

/** The last events of a stream. Their ids count from 0. */
export class KeptEvents {
  private readonly events: PrintedEvent[] = [];
  /** Id of the oldest event that is kept. */
  private first = 0;
  /** Memory of the events, in bytes. */
  bytes = 0;

  /** Id of the next event. */
  get next(): number {
    return this.first + this.events.length;
  }

  add(event: PrintedEvent): void {
    this.events.push(event);
    this.bytes += sizeOf(event);
  }

  /** @returns undefined if the event is no longer kept */
  at(id: number): PrintedEvent | undefined {
    return this.events[id - this.first];
  }

  /** Forgets the oldest events down to a number of bytes. The newest event stays. */
  shrink(mostBytes: number): void {
    let count = 0;
    while (this.bytes > mostBytes && count < this.events.length - 1) {
      this.bytes -= sizeOf(this.events[count]);
      count += 1;
    }
    this.events.splice(0, count);
    this.first += count;
  }
}

/** Engines store a text with up to two bytes for a character. */
function sizeOf(event: PrintedEvent | undefined): number {
  return event === undefined ? 0 : 2 * event.text.length + OVERHEAD;
}
