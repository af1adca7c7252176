import { printJson } from '../json/exact-json.js';

/** An event whose `data:` is one line of plain text instead of JSON, such as `[DONE]` of the OpenAI protocol. */
export class TextEvent {
  constructor(readonly text: string) {}
}

/** An event with an `event:` name. */
export class NamedEvent {
  constructor(
    readonly name: string,
    readonly data: object,
  ) {}
}

/** An event with an id of its own, from which a client may go on. */
export class IdentifiedEvent {
  constructor(
    readonly id: string,
    readonly data: object,
  ) {}
}

/** An event that is printed already: several connections send the same text. */
export class PrintedEvent {
  /** @param text with its id, see {@link printedEvent} */
  constructor(readonly text: string) {}
}

/** The events as they arrive. */
export function printedEvents(events: readonly object[]): string {
  return events.map((event, id) => printedEvent(id, event)).join('');
}

/** @param id of an event without one of its own; null: the event gets none */
export function printedEvent(id: number | null, event: object): string {
  if (event instanceof PrintedEvent) return event.text;
  const isNamed = event instanceof NamedEvent;
  const isIdentified = event instanceof IdentifiedEvent;
  const data =
    event instanceof TextEvent ? event.text : printJson(isNamed || isIdentified ? event.data : event);
  const name = isNamed ? `event: ${event.name}\n` : '';
  const ownId = isIdentified ? event.id : id;
  return `${ownId === null ? '' : `id: ${ownId}\n`}${name}data: ${data}\n\n`;
}
