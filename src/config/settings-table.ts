import type { Setting } from './definition.js';
import { definition } from './settings.js';

const START = '<!-- settings: written by `npm run env` -->\n<!-- prettier-ignore-start -->\n';
const END = '<!-- prettier-ignore-end -->\n<!-- end of settings -->';

/** The Markdown table of every setting, in the order of `.env.example`. */
export function settingsTable(): string {
  const settings: Record<string, Setting<unknown>> = definition;
  const rows = Object.entries(settings).map(([name, { meaning, fallback, secret }]) => {
    const usual = fallback === undefined || fallback === '' ? '' : `\`${fallback}\``;
    return `| \`${name}\`${secret ? ' (secret)' : ''} | ${usual} | ${meaning.replaceAll('|', '\\|')} |\n`;
  });
  return `| Variable | Default | Meaning |\n|---|---|---|\n${rows.join('')}`;
}

/**
 * A document with the table between its two markers made anew; the prose around it stays.
 * @throws Error when the document has lost its markers.
 */
export function withSettingsTable(document: string): string {
  const start = document.indexOf(START);
  const end = document.indexOf(END);
  if (start < 0 || end < start) throw new Error('the markers of the settings table are missing');
  return document.slice(0, start + START.length) + settingsTable() + document.slice(end);
}
