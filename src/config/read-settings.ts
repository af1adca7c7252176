import type { Setting } from './definition.js';
import { problemsOf } from './combinations.js';
import { definition, type Settings } from './settings.js';

/** Thrown for invalid settings. The message has one line per problem. Each line names the variable. */
export class ConfigurationError extends Error {
  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(problems.join('\n'), options);
    this.name = 'ConfigurationError';
  }
}

/**
 * Reads and validates the environment. An empty value counts as unset.
 * @throws ConfigurationError that lists every invalid value and every invalid combination.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const settings: Record<string, Setting<unknown>> = definition;
  for (const [name, setting] of Object.entries(settings)) {
    const given = environment[name]?.trim();
    const raw = given === undefined || given === '' ? setting.fallback : given;
    try {
      values[name] = raw === undefined ? undefined : setting.parse(raw);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
    }
  }
  if (problems.length === 0) problems.push(...problemsOf(values as Settings));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return Object.freeze(values) as Settings;
}
