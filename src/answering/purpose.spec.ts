import { scopeOf } from '../auth/scope.js';
import type { TokenUse } from '../auth/token-policy.js';
import { Invalid } from '../errors/index.js';
import { requirePurpose } from './purpose.js';
import type { Turn } from './turn.js';

const PLAIN = {
  schema: null,
  tools: null,
  calledAs: null,
  search: {},
  prompts: { instructions: null, template: null, extraction: null, resolution: null },
} as unknown as Turn;
const FUNCTIONS = { functions: [], choice: null, parallel: null };

const tokenFor = (...uses: TokenUse[]) =>
  scopeOf('acme', ['query'], 'k', {
    policy: {
      uses: new Set(uses),
      models: [],
      maxAnswerTokens: null,
      questionsPerMinute: null,
      ownerWrites: false,
    },
  });

function refusedTo(turn: object, ...uses: TokenUse[]): string[] {
  try {
    requirePurpose(tokenFor(...uses), { ...PLAIN, ...turn });
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.items.map(({ loc }) => loc.join('.'));
    throw error;
  }
}

describe('the purpose of a token', () => {
  it('is a question about documents', () => {
    expect(refusedTo({}, 'query')).toEqual([]);
    expect(refusedTo({ search: null }, 'query')).toEqual(['body.search']);
  });

  it('names everything else that a question asks for at once', () => {
    const prompts = { instructions: 'a', template: 'b', extraction: {}, resolution: {} };
    expect(refusedTo({ prompts, schema: {}, tools: FUNCTIONS }, 'query')).toEqual([
      'body.prompt_overrides.query.system_prompt',
      'body.prompt_overrides.query.prompt_template',
      'body.prompt_overrides.entity_extraction',
      'body.prompt_overrides.entity_resolution',
      'body.schema',
      'body.tools',
    ]);
  });

  it('includes formats and functions with their scopes', () => {
    expect(refusedTo({ schema: {} }, 'query', 'schema')).toEqual([]);
    expect(refusedTo({ tools: FUNCTIONS }, 'query', 'tools')).toEqual([]);
    // A function that must be called is answered with a schema, but it is a function.
    expect(refusedTo({ schema: {}, calledAs: 'f' }, 'query', 'schema')).toEqual(['body.tools']);
    expect(refusedTo({ schema: {}, calledAs: 'f' }, 'query', 'tools')).toEqual([]);
  });

  it('bounds no key', () => {
    expect(() => {
      requirePurpose(scopeOf('acme', ['query'], 'k'), { ...PLAIN, search: null });
    }).not.toThrow();
  });
});
