import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readSettings } from './read-settings.js';
import { definition } from './settings.js';
import { envExample, settingsList, withSettingsList } from './settings-docs.js';

const MARKED =
  'Before.\n\n<!-- settings: written by `npm run env` -->\n<!-- prettier-ignore-start -->\nold\n<!-- prettier-ignore-end -->\n<!-- end of settings -->\n\nAfter.\n';

describe('.env.example', () => {
  it('is up to date: run `npm run env` after a change', () => {
    expect(readFileSync('.env.example', 'utf8')).toBe(envExample());
  });

  it('lists every setting with its default', () => {
    const values = envExample()
      .split('\n')
      .flatMap((line) => /^# ([A-Z0-9_]+)=(.*)$/.exec(line)?.slice(1, 3) ?? [])
      .reduce<[string, string][]>((pairs, part, index, all) => {
        if (index % 2 === 0) pairs.push([part, all[index + 1] ?? '']);
        return pairs;
      }, []);
    expect(values.map(([name]) => name)).toEqual(Object.keys(definition));
    expect(readSettings(Object.fromEntries(values))).toEqual(readSettings({}));
  });
});

describe('settings', () => {
  it('are all used in the code', () => {
    const sources = execFileSync(
      'grep',
      ['-rhE', '[A-Z]{2,}', 'src', '--include=*.ts', '--exclude=settings.ts'],
      {
        encoding: 'utf8',
      },
    );
    const named = new Set(sources.match(/\b[A-Z][A-Z0-9_]+\b/g));
    expect(Object.keys(definition).filter((name) => !named.has(name))).toEqual([]);
  });
});

describe('settingsList', () => {
  it('has one item per setting', () => {
    const items = settingsList().trimEnd().split('\n');
    expect(items).toHaveLength(Object.keys(definition).length);
    expect(items.find((item) => item.includes('`PORT`'))).toBe(
      `- \`PORT\` (\`8000\`): ${definition.PORT.meaning}`,
    );
  });

  it('marks secret settings', () => {
    expect(settingsList()).toContain('- `JWT_SECRET` (secret): ');
  });

  it('replaces only the text between the markers', () => {
    const document = withSettingsList(MARKED);
    expect(document.startsWith('Before.\n')).toBe(true);
    expect(document.endsWith('\nAfter.\n')).toBe(true);
    expect(document).not.toContain('\nold\n');
    expect(withSettingsList(document)).toBe(document);
  });

  it('rejects a document without markers', () => {
    expect(() => withSettingsList('nothing')).toThrow('markers');
  });
});
