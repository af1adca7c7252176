import { definition } from './settings.js';
import { settingsTable, withSettingsTable } from './settings-table.js';

const MARKED =
  'Before.\n\n<!-- settings: written by `npm run env` -->\n<!-- prettier-ignore-start -->\nold\n<!-- prettier-ignore-end -->\n<!-- end of settings -->\n\nAfter.\n';

describe('the settings table', () => {
  it('has one row for every setting', () => {
    const rows = settingsTable().trimEnd().split('\n').slice(2);
    expect(rows).toHaveLength(Object.keys(definition).length);
    expect(rows.find((row) => row.includes('`PORT`'))).toBe(
      `| \`PORT\` | \`8000\` | ${definition.PORT.meaning} |`,
    );
  });

  it('says which settings are secret', () => {
    expect(settingsTable()).toContain('| `JWT_SECRET` (secret) |  |');
  });

  it('replaces what stands between the markers and nothing else', () => {
    const document = withSettingsTable(MARKED);
    expect(document.startsWith('Before.\n')).toBe(true);
    expect(document.endsWith('\nAfter.\n')).toBe(true);
    expect(document).not.toContain('old');
    expect(withSettingsTable(document)).toBe(document);
  });

  it('refuses a document without markers', () => {
    expect(() => withSettingsTable('nothing')).toThrow('markers');
  });
});
