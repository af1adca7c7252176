import { parse as parseToml } from 'smol-toml';
import { parseDocument } from 'yaml';

/** Maximum length of a front matter. Longer text between two thematic breaks is not front matter. */
const MAX_LENGTH = 4_000;

/** YAML between `---` and `---` or `...`. */
const YAML = /^---[ \t]*\r?\n((?:.*\r?\n)*?)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
/** TOML between `+++` and `+++`. */
const TOML = /^\+\+\+[ \t]*\r?\n((?:.*\r?\n)*?)\+\+\+[ \t]*(?:\r?\n|$)/;

/** The front matter of a Markdown text with its delimiters; empty if there is no front matter. */
export function frontMatterOf(text: Pick<string, 'slice'>): string {
  return read(text)?.source ?? '';
}

/** The `title` of a front matter, on one line; empty if there is none. */
export function titleOfFrontMatter(text: Pick<string, 'slice'>): string {
  const fields = read(text)?.fields ?? {};
  const [, title] = Object.entries(fields).find(([name]) => name.toLowerCase() === 'title') ?? [];
  return typeof title === 'string' || typeof title === 'number'
    ? String(title).replace(/\s+/g, ' ').trim()
    : '';
}

interface FrontMatter {
  readonly source: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function read(text: Pick<string, 'slice'>): FrontMatter | undefined {
  const head = text.slice(0, MAX_LENGTH);
  // A thematic break is followed by a blank line.
  if (!/^(?:---|\+\+\+)[ \t]*\r?\n(?![ \t]*\r?\n)/.test(head)) return undefined;
  const [ofYaml, yaml = ''] = YAML.exec(head) ?? [];
  const [ofToml, toml = ''] = TOML.exec(head) ?? [];
  const source = ofYaml ?? ofToml;
  if (source === undefined) return undefined;
  const fields = ofYaml === undefined ? fieldsOfToml(toml) : fieldsOfYaml(yaml);
  return fields === undefined ? undefined : { source, fields };
}

/** @returns undefined for a text that is no mapping of names to values */
function fieldsOfYaml(source: string): FrontMatter['fields'] | undefined {
  const document = parseDocument(source, { logLevel: 'silent', strict: false, uniqueKeys: false });
  if (document.errors.length > 0) return fieldsByLine(source);
  const fields: unknown = document.toJS({ maxAliasCount: 20 });
  return typeof fields === 'object' && fields !== null && !Array.isArray(fields)
    ? (fields as FrontMatter['fields'])
    : undefined;
}

const FIELD = /^([\w-]+):[ \t]*(["']?)(.*?)\2[ \t]*$/;

/** Reads the fields of front matter that looks like YAML but is not valid YAML: `title: Guide: part 1`. */
function fieldsByLine(source: string): FrontMatter['fields'] | undefined {
  const lines = source.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const fields = lines.map((line) => FIELD.exec(line)).filter((field) => field !== null);
  const isFirst = FIELD.test(lines[0] ?? '');
  return isFirst ? Object.fromEntries(fields.map(([, name = '', , value = '']) => [name, value])) : undefined;
}

function fieldsOfToml(source: string): FrontMatter['fields'] | undefined {
  try {
    return parseToml(source);
  } catch {
    return undefined; // the text between the lines is no TOML
  }
}
