import type { Behaviour } from './behaviour.js';
import type { Call } from './calls.js';
import { instanceOf } from './schema-instance.js';

export const USUAL_ANSWER = 'The device weighs two kilograms.';

/** Returns the answer of a model with this behaviour, after its reasoning. */
export function answerTo(call: Call, behaviour: Behaviour): string {
  return thoughtsOf(behaviour) + plainAnswerTo(call, behaviour);
}

export function thoughtsOf(behaviour: Behaviour): string {
  return decodeURIComponent(behaviour.text('thinks') ?? '');
}

function plainAnswerTo(call: Call, behaviour: Behaviour): string {
  if (behaviour.has('echo')) return JSON.stringify(call.body.messages);
  const schema = schemaIn(call);
  if (schema !== undefined) {
    const answer = answerToSchema(schema, call, behaviour);
    if (answer !== undefined)
      return behaviour.has('prose')
        ? `Sure! Here it is:\n\`\`\`json\n${answer}\n\`\`\`\nAnything else?`
        : answer;
  }
  if (behaviour.has('tokens')) {
    return Array.from({ length: behaviour.number('tokens', 1) }, (_, index) => `word${index}`).join(' ');
  }
  const encoded = behaviour.text('encoded');
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return behaviour.text('text') ?? USUAL_ANSWER;
}

/** A function call in the wire format. */
export interface WireCall {
  readonly name: string;
  readonly arguments: string;
}

/** Returns the function call of a model with this behaviour; undefined: the model answers instead. */
export function callIn({ body: { tools = [], messages } }: Call, behaviour: Behaviour): WireCall | undefined {
  const tool = tools.find((one) => one.function.name === behaviour.text('calls'));
  if (tool === undefined || messages.at(-1)?.role === 'tool') return undefined;
  const { name, parameters } = tool.function;
  return { name, arguments: JSON.stringify(instanceOf(parameters ?? {})) };
}

function answerToSchema(schema: unknown, call: Call, behaviour: Behaviour): string | undefined {
  const wrong = '{"unexpected": [';
  if (behaviour.has('echoes-schema')) return JSON.stringify(schema);
  if (behaviour.has('never-obeys')) return wrong;
  if (behaviour.has('repaired')) return isRepair(call) ? behaviour.text('repaired') : wrong;
  if (behaviour.has('obeys-after-repair')) {
    return isRepair(call) ? JSON.stringify(instanceOf(schema)) : wrong;
  }
  if (behaviour.has('obeys')) return JSON.stringify(instanceOf(schema));
  return behaviour.text('json');
}

/** Whether a call asks the model to repair its answer. The messages of such a call contain the model's own answer. */
function isRepair(call: Call): boolean {
  return call.body.messages.at(-2)?.role === 'assistant' && /not valid|valid JSON/i.test(call.question);
}

/** Returns the schema of the response format, or the schema at the end of the prompt. */
function schemaIn(call: Call): unknown {
  const asked = call.body.response_format?.json_schema?.schema;
  if (asked !== undefined) return asked;
  const rules = /JSON Schema, and[^\n]*\n/;
  const text = call.texts('user').find((one) => rules.test(one));
  const line = text?.split(rules).at(-1)?.split('\n')[0];
  return line === undefined ? undefined : (JSON.parse(line) as unknown);
}
