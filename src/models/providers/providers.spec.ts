import { readFileSync } from 'node:fs';
import { PROVIDERS, type ProviderName } from './providers.js';

const MODELS = readFileSync('docs/guide/models.md', 'utf8');
const [, COMPLETIONS = ''] = /## Models\n(.*?)\n## /s.exec(readFileSync('docs/guide/answers.md', 'utf8')) ?? [];

/** The list of docs/guide/models.md, Embedding endpoints, to which a provider belongs, by its first words. */
function listOf(name: ProviderName): string {
  const { base, needsKey } = PROVIDERS[name];
  if (base === null) return '- These need `EMBEDDING_API_BASE`';
  return needsKey ? '- These prefixes need only a key' : '- These have a local default port';
}

/** What a provider needs besides its row of {@link PROVIDERS}; null: it has it. */
const NEEDS: readonly ((name: ProviderName) => string | null)[] = [
  (name) => {
    const list = MODELS.split('\n').find((line) => line.startsWith(listOf(name))) ?? '';
    if (!serves(name, 'embedding') || list.includes(`\`${name}\``)) return null;
    return `its prefix in docs/guide/models.md: "${listOf(name)}: ..."`;
  },
  (name) => {
    const [sentence = ''] = /Calls have the format of OpenAI; .*/.exec(MODELS) ?? [];
    if (PROVIDERS[name].embeds === 'openai' || sentence.includes(`\`${name}\``)) return null;
    return 'its prefix in docs/guide/models.md: "Calls have the format of OpenAI; those of ..."';
  },
  (name) => {
    if (!serves(name, 'completion') || COMPLETIONS.includes(`\`${name}\``)) return null;
    return 'its prefix in docs/guide/answers.md, Models';
  },
];

function serves(name: ProviderName, kind: 'completion' | 'embedding'): boolean {
  return PROVIDERS[name].serves.some((served) => served === kind);
}

describe('providers of models', () => {
  it.each(Object.keys(PROVIDERS) as ProviderName[])('lack nothing: %s', (name) => {
    expect(NEEDS.map((lacks) => lacks(name)).filter((lack) => lack !== null)).toEqual([]);
  });
});
