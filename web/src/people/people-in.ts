import { newIdFor } from './describe.js';
import { t } from '../language/translate.js';

export interface PastedPerson {
  readonly name: string;
  readonly id: string;
  /** Why nobody is invited by this line; null: the line is right. */
  readonly problem: PasteProblem | null;
}

export type PasteProblem = 'active' | 'columns' | 'longId' | 'longName' | 'noName' | 'tooMany' | 'twice';

/** What the service accepts: people in one request, and the lengths of a name and an identifier. */
const MAX_PEOPLE = 200;
const MAX_NAME = 200;
const MAX_ID = 256;

/** A separator of columns: comma, semicolon or tab. */
const SEPARATOR = /[,;\t]/;
/** A line that is only an address. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/;
/** A person as mail programs copy one: `"Lee, Ann" <ann@example.org>;`. */
const MAILBOX = /("[^"\n]*"[ \t]*|[^"<>,;\n]*)<([^<>\s]+@[^<>\s]+)>[ \t]*[,;]?/g;

/**
 * Reads people from pasted lines or a table: a name and, after a comma, semicolon or tab, an identifier. Without an
 * identifier one is made of the name, which nobody has yet; an address is its own identifier, because it is one person
 * however often it is pasted. A header of a table is left out. Mailboxes are read too.
 *
 * @param known identifiers of all people who have, or had, access
 * @param active identifiers of all people who have access: they need no invitation
 */
export function peopleIn(
  text: string,
  known: ReadonlySet<string>,
  active: ReadonlySet<string>,
): PastedPerson[] {
  const taken = new Set(known);
  const invited = new Set<string>();
  const lines = text.replaceAll(MAILBOX, asLine).split(/\r?\n/);
  return lines.flatMap((line, index) => {
    const cells = line.split(SEPARATOR).map((cell) => cell.trim().replaceAll(/^"|"$/g, ''));
    const [name = '', given = '', ...more] = cells;
    if (cells.every((cell) => cell === '') || (index === 0 && /^name$/i.test(name))) return [];
    const made = ADDRESS.test(name) ? name.toLowerCase() : newIdFor(name, taken);
    const id = given === '' && name !== '' ? made : given;
    const problem = problemOf({ name, id }, more, { invited, active });
    if (problem === null) invited.add(id.toLowerCase());
    taken.add(id);
    return [{ name, id, problem }];
  });
}

interface KnownPeople {
  /** Identifiers on earlier lines, in small letters. */
  readonly invited: ReadonlySet<string>;
  readonly active: ReadonlySet<string>;
}

function problemOf(
  { name, id }: Pick<PastedPerson, 'name' | 'id'>,
  more: readonly string[],
  { invited, active }: KnownPeople,
): PasteProblem | null {
  if (name === '') return 'noName';
  if (more.some((cell) => cell !== '')) return 'columns';
  if (name.length > MAX_NAME) return 'longName';
  if (id.length > MAX_ID) return 'longId';
  if (invited.has(id.toLowerCase())) return 'twice';
  if (active.has(id)) return 'active';
  return invited.size >= MAX_PEOPLE ? 'tooMany' : null;
}

/** The line of a mailbox: `Ann Lee`, a tab and the address, which is the name too if there is no other. */
function asLine(_: string, quoted: string, address: string): string {
  const name = quoted.replaceAll(/["\t]/g, ' ').trim();
  const ordered = name.replace(/^([^,]+),\s*([^,]+)$/, '$2 $1').replaceAll(/[,;]/g, ' ');
  return `${ordered === '' ? address : ordered}\t${address}\n`;
}

/** A table with a header, as in RFC 4180. */
export function linksAsCsv(
  people: readonly { readonly name: string; readonly end_user_id: string | null; readonly url: string }[],
): string {
  const rows = people.map(({ name, end_user_id: id, url }) => [name, id ?? '', url]);
  const cell = (text: string): string => `"${neutral(text).replaceAll('"', '""')}"`;
  const header = [t('documents.name'), t('people.identifier'), t('people.link')];
  return [header, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** A program for tables must not take a name for a formula. */
function neutral(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
