import { Invalid } from '../../errors/index.js';
import { ChoiceField, FlagField, JsonObjectField, NestedField, TextField } from '../../http/input/fields.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { isJsonObject } from '../../json/exact-json.js';

export class FunctionDto {
  @TextField({
    description: 'Function name.',
    example: 'get_current_time',
    required: true,
    notEmpty: true,
    maxLength: 64,
  })
  name: string;

  @TextField({
    description: 'Description, from which the model decides when to call the function.',
    example: 'Current time in a time zone.',
    nullable: true,
  })
  description: string | null = null;

  @JsonObjectField({
    description: 'JSON Schema of the arguments. null: no arguments.',
    example: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
    nullable: true,
  })
  parameters: Readonly<Record<string, unknown>> | null = null;

  @FlagField({ description: 'Whether the provider enforces the schema.', nullable: true })
  strict: boolean | null = null;
}

export class ToolDto {
  @ChoiceField({ description: 'Type.', values: ['function'], example: 'function', required: true })
  type: 'function';

  @NestedField({ description: 'The function.', required: true, type: () => FunctionDto })
  function: FunctionDto;
}

export class CalledFunctionDto {
  @TextField({
    description: 'Function name.',
    example: 'get_current_time',
    required: true,
    notEmpty: true,
  })
  name: string;

  @TextField({ description: 'Arguments as a JSON string.', example: '{"zone": "UTC"}', required: true })
  arguments: string;
}

export class MessageToolCallDto {
  @TextField({
    description: 'Call id, repeated by the message with the result.',
    example: 'call_1',
    required: true,
  })
  id: string;

  @ChoiceField({ description: 'Type.', values: ['function'], example: 'function', required: true })
  type: 'function';

  @NestedField({ description: 'Called function.', required: true, type: () => CalledFunctionDto })
  function: CalledFunctionDto;
}

const MODES = ['none', 'auto', 'required'] as const;

export type ToolChoice = (typeof MODES)[number] | { readonly name: string };

export const toolChoice: Parse = (value, loc): ToolChoice => {
  const mode = MODES.find((one) => one === value);
  if (mode !== undefined) return mode;
  const named = isJsonObject(value) && value['type'] === 'function' ? value['function'] : undefined;
  if (isJsonObject(named) && typeof named['name'] === 'string') return { name: named['name'] };
  throw Invalid.at(
    loc,
    "Value error, tool_choice must be 'none', 'auto', 'required' or {type: 'function', function: {name}}",
  );
};
