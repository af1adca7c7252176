import type { Scope } from '../auth/scope.js';
import type { TokenPolicy } from '../auth/token-policy.js';
import { type Location, Problems } from '../errors/index.js';
import type { Turn } from './turn.js';

/** A part of a turn that a token may not have, with its location in a request of POST /query. */
interface Refusal {
  readonly loc: Location;
  readonly sentence: string;
  readonly isAsked: (turn: Turn, policy: TokenPolicy) => boolean;
}

const NO_PROMPTS = 'a token cannot change the prompt';

/**
 * What turns a token for one purpose into a free language model. `models/llm/model-allowance.ts` has the rules for the
 * model and the length of its answer.
 */
const REFUSALS: readonly Refusal[] = [
  {
    loc: ['body', 'prompt_overrides', 'query', 'system_prompt'],
    sentence: 'a token cannot give instructions',
    isAsked: ({ prompts }) => prompts.instructions !== null,
  },
  {
    loc: ['body', 'prompt_overrides', 'query', 'prompt_template'],
    sentence: NO_PROMPTS,
    isAsked: ({ prompts }) => prompts.template !== null,
  },
  {
    loc: ['body', 'prompt_overrides', 'entity_extraction'],
    sentence: NO_PROMPTS,
    isAsked: ({ prompts }) => prompts.extraction !== null,
  },
  {
    loc: ['body', 'prompt_overrides', 'entity_resolution'],
    sentence: NO_PROMPTS,
    isAsked: ({ prompts }) => prompts.resolution !== null,
  },
  {
    loc: ['body', 'schema'],
    sentence: 'the token lacks the scope "schema"',
    isAsked: ({ schema, calledAs }, { uses }) => schema !== null && calledAs === null && !uses.has('schema'),
  },
  {
    loc: ['body', 'tools'],
    sentence: 'the token lacks the scope "tools"',
    isAsked: ({ tools, calledAs }, { uses }) => (tools !== null || calledAs !== null) && !uses.has('tools'),
  },
  {
    loc: ['body', 'search'],
    sentence: 'a token gets answers from documents only',
    isAsked: ({ search }) => search === null,
  },
];

/**
 * Checks that a question is within the purpose of the token with which it is asked. Every protocol answers questions
 * through here.
 * @throws Invalid that names each member that the token may not have
 */
export function requirePurpose({ policy }: Pick<Scope, 'policy'>, turn: Turn): void {
  if (policy === undefined) return;
  const problems = new Problems();
  for (const { loc, sentence, isAsked } of REFUSALS) {
    if (isAsked(turn, policy)) problems.add(loc, `Value error, ${sentence}`);
  }
  problems.throwIfAny();
}
