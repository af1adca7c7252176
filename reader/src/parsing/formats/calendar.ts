import type { Parser } from '../parser.js';

/**
 * A calendar (iCalendar, RFC 5545), also as an invitation in a message: its events, tasks and notes, each under its
 * summary.
 */
export const parseCalendar: Parser = ({ text }) => {
  const source = text ?? '';
  const entries = entriesOf(source);
  const [first = []] = entries;
  const isOne = entries.length === 1;
  const summary = first.find(({ name }) => name === 'SUMMARY');
  return {
    // A calendar of free and busy times has no entries.
    text: entries.length === 0 ? source : entries.map((entry) => written(entry, !isOne)).join('\n\n'),
    textType: isOne ? 'text/plain' : 'text/markdown',
    properties: { title: isOne && summary !== undefined ? asText(summary) : undefined },
  };
};

interface Property {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly value: string;
}

type Entry = readonly Property[];

const ENTRIES = new Set(['VEVENT', 'VTODO', 'VJOURNAL']);

function entriesOf(source: string): Entry[] {
  const entries: Property[][] = [];
  const inside: string[] = [];
  for (const line of source.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const property = propertyOf(line);
    if (property === undefined) continue;
    const component = property.value.toUpperCase();
    if (property.name === 'BEGIN') {
      inside.push(component);
      if (ENTRIES.has(component)) entries.push([]);
    } else if (property.name === 'END') inside.pop();
    else if (ENTRIES.has(inside.at(-1) ?? '')) entries.at(-1)?.push(property);
  }
  return entries;
}

const PARAMETER = /;([\w-]+)=((?:"[^"]*"|[^";:])*)/g;
const PROPERTY = /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^";:])*)*):(.*)$/s;

function propertyOf(line: string): Property | undefined {
  const [, name, parameters = '', value = ''] = PROPERTY.exec(line) ?? [];
  if (name === undefined) return undefined;
  return {
    name: name.toUpperCase(),
    parameters: Object.fromEntries(
      Array.from(parameters.matchAll(PARAMETER), ([, key = '', text = '']) => [
        key.toUpperCase(),
        text.replaceAll('"', ''),
      ]),
    ),
    value,
  };
}

type Format = (property: Property) => string;

const asText: Format = ({ value }) => unescaped(value);
const asPerson: Format = ({ value, parameters: { CN: name } }) => {
  const address = value.replace(/^mailto:/i, '');
  return name === undefined || name === '' || name === address ? address : `${name} <${address}>`;
};

/** `20240405T090000Z` becomes `2024-04-05 09:00 UTC`; a time with a zone has the zone in parentheses. */
const asTime: Format = ({ value, parameters: { TZID: zone } }) =>
  value
    .split(',')
    .map((time) => {
      const [, year = '', month = '', day = '', hour, minute = '', second = '00', utc = ''] =
        TIME.exec(time) ?? [];
      if (year === '') return time;
      const clock = hour === undefined ? '' : ` ${hour}:${minute}${second === '00' ? '' : `:${second}`}`;
      const place = utc !== '' ? ' UTC' : zone === undefined || clock === '' ? '' : ` (${zone})`;
      return `${year}-${month}-${day}${clock}${place}`;
    })
    .join(', ');

const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?$/;

/** Labels of the properties that a person reads, in the order of printing. */
const LABELS: Readonly<Record<string, readonly [string, Format]>> = {
  SUMMARY: ['Summary', asText],
  STATUS: ['Status', asText],
  DTSTART: ['Start', asTime],
  DTEND: ['End', asTime],
  DUE: ['Due', asTime],
  DURATION: ['Duration', asText],
  RRULE: ['Repeats', asText],
  RDATE: ['Also', asTime],
  EXDATE: ['Except', asTime],
  LOCATION: ['Location', asText],
  ORGANIZER: ['Organizer', asPerson],
  ATTENDEE: ['Attendee', asPerson],
  CATEGORIES: ['Categories', asText],
  URL: ['Address', asText],
  COMMENT: ['Comment', asText],
  DESCRIPTION: ['Description', asText],
};

function written(entry: Entry, hasHeading: boolean): string {
  const summary = entry.find(({ name }) => name === 'SUMMARY');
  const lines = Object.entries(LABELS).flatMap(([name, [label, format]]) =>
    entry
      .filter((property) => property.name === name)
      .map((property) => `${label}: ${format(property)}`.trimEnd()),
  );
  const heading = hasHeading && summary !== undefined ? [`## ${asText(summary)}`] : [];
  return [...heading, lines.join('\n')].join('\n\n');
}

/** Decodes the escapes of a text (RFC 5545, section 3.3.11). */
function unescaped(value: string): string {
  return value
    .replace(/\\([nN;,\\])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character))
    .trim();
}
