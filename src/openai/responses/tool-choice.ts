import { Invalid } from '../../errors/index.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { storableJson } from '../../http/input/parse.js';
import { isJsonObject } from '../../json/exact-json.js';

const MODES = ['none', 'auto', 'required'] as const;

/** `allowed_tools`: the tools of the request that an answer may use. */
export interface AllowedTools {
  readonly mode: 'auto' | 'required';
  readonly names: readonly string[];
  readonly fileSearch: boolean;
}

export type ToolChoice = (typeof MODES)[number] | 'file_search' | { readonly name: string } | AllowedTools;

/** The choice of a request, and the value with which the response repeats it. */
export interface GivenToolChoice {
  readonly choice: ToolChoice;
  readonly echo: unknown;
}

export const toolChoice: Parse = (value, loc): GivenToolChoice => {
  const choice = choiceIn(value);
  if (choice === undefined) {
    throw Invalid.at(
      loc,
      'Value error, tool_choice must be none, auto, required, {type: "function", name}, {type: "file_search"} or {type: "allowed_tools", mode, tools} with tools of these types',
    );
  }
  storableJson(value, loc);
  return { choice, echo: value };
};

function choiceIn(value: unknown): ToolChoice | undefined {
  const mode = MODES.find((one) => one === value);
  if (mode !== undefined || !isJsonObject(value)) return mode;
  const { type, name } = value;
  if (type === 'file_search') return type;
  if (type === 'function' && typeof name === 'string') return { name };
  return type === 'allowed_tools' ? allowedIn(value) : undefined;
}

function allowedIn({ mode, tools }: Readonly<Record<string, unknown>>): AllowedTools | undefined {
  if ((mode !== 'auto' && mode !== 'required') || !Array.isArray(tools)) return undefined;
  const choices = (tools as unknown[]).map(choiceIn);
  const names: string[] = [];
  for (const choice of choices) {
    if (choice === 'file_search') continue;
    if (choice === undefined || typeof choice === 'string' || 'mode' in choice) return undefined;
    names.push(choice.name);
  }
  return { mode, names, fileSearch: choices.includes('file_search') };
}
