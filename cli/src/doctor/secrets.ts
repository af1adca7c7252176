import { definition } from '../../../src/config/settings.js';

/** Shorter values are words, and would be found everywhere. */
const SHORTEST_SECRET = 4;

/** A function that takes every secret of the environment, and the password of a URL in it, out of a text. */
export function withoutSecretsOf(
  environment: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const given = Object.entries(definition)
    .filter(([, { secret }]) => secret)
    .map(([name]) => environment[name]?.trim() ?? '');
  const keys = [environment['LECTERN_API_KEY'] ?? '', environment['LECTERN_IMPORT_KEY'] ?? ''];
  const secrets = [...given, ...given.flatMap(passwordsIn), ...keys]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((told, value) => told.replaceAll(value, '***'), text);
}

function passwordsIn(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password } = new URL(text);
  return [password, decodeURIComponent(password)];
}
