import { Invalid, type Location, violation } from '../../errors/index.js';
import type { Filter } from '../../filters/filter.js';
import {
  FlagField,
  IntegerField,
  JsonObjectField,
  NestedField,
  TextField,
  TextListField,
} from '../../http/input/fields.js';
import { type Parse, readInput } from '../../http/input/input.pipe.js';
import { eachOf, storableJson } from '../../http/input/parse.js';
import { isJsonObject } from '../../json/exact-json.js';
import type { FunctionTool, ToolUse } from '../../models/llm/language-model.js';
import { FilterField, MAX_RESULTS, RankingOptions } from '../search/search.dto.js';
import type { AllowedTools, ToolChoice } from './tool-choice.js';

/** OpenAI's limit. */
const MAX_TOOLS = 128;
const MAX_STORES = 20;

export class FileSearchTool {
  @TextListField({
    description: 'The vector stores to search.',
    required: true,
    maxSize: MAX_STORES,
    openapi: { minItems: 1 },
  })
  vector_store_ids: string[];

  @IntegerField({ description: 'Maximum number of passages.', nullable: true, min: 1, max: MAX_RESULTS })
  max_num_results: number | null = null;

  @FilterField()
  filters: Filter | null = null;

  @NestedField({ description: 'Ranking options.', nullable: true, type: () => RankingOptions })
  ranking_options: RankingOptions | null = null;
}

class ResponseFunctionTool implements FunctionTool {
  @TextField({ description: 'Its name.', required: true, notEmpty: true, maxLength: 64 })
  name: string;

  @TextField({ description: 'Purpose of the function.', nullable: true })
  description: string | null = null;

  @JsonObjectField({ description: 'JSON Schema of its arguments.', nullable: true })
  parameters: Readonly<Record<string, unknown>> | null = null;

  @FlagField({ description: 'Whether the provider validates arguments.', nullable: true })
  strict: boolean | null = null;
}

export interface ResponseTools {
  readonly fileSearch: FileSearchTool | null;
  readonly functions: readonly { readonly tool: FunctionTool; readonly index: number }[];
  /** The tools in the form in which the response repeats them. */
  readonly echo: readonly object[];
}

export const NO_TOOLS: ResponseTools = { fileSearch: null, functions: [], echo: [] };

type ReadTool =
  | { readonly kind: 'file_search'; readonly tool: FileSearchTool; readonly echo: object }
  | { readonly kind: 'function'; readonly tool: FunctionTool; readonly echo: object };

export const responseTools: Parse = (value, loc, settings): ResponseTools => {
  if (!Array.isArray(value)) throw violation(loc, 'isArray');
  if (value.length > MAX_TOOLS) {
    throw Invalid.at(loc, `Value error, at most ${MAX_TOOLS} tools are allowed`);
  }
  const read = eachOf((one: unknown, at) => toolIn(one, at, settings))(value, loc) as ReadTool[];
  const searches = read.flatMap((one) => (one.kind === 'file_search' ? [one.tool] : []));
  if (searches.length > 1) {
    throw Invalid.at(
      loc,
      'Value error, at most one file_search tool is allowed; it may name several vector stores',
    );
  }
  return {
    fileSearch: searches[0] ?? null,
    functions: read.flatMap((one, index) => (one.kind === 'function' ? [{ tool: one.tool, index }] : [])),
    echo: read.map(({ echo }) => echo),
  };
};

function toolIn(value: unknown, loc: Location, settings: Parameters<Parse>[2]): ReadTool {
  if (!isJsonObject(value)) throw violation(loc, 'isObject');
  storableJson(value, loc);
  if (value['type'] === 'function') {
    const tool = readInput(ResponseFunctionTool, value, loc, settings);
    const { name, description, parameters, strict } = tool;
    return { kind: 'function', tool, echo: { type: 'function', name, description, parameters, strict } };
  }
  if (value['type'] === 'file_search') {
    const tool = readInput(FileSearchTool, value, loc, settings);
    if (tool.vector_store_ids.length === 0) {
      throw Invalid.at([...loc, 'vector_store_ids'], 'Value error, at least one vector store is required');
    }
    const { filters, ranking_options: ranking } = value;
    const { vector_store_ids, max_num_results } = tool;
    const echo = {
      type: 'file_search',
      vector_store_ids,
      ...(max_num_results === null ? {} : { max_num_results }),
      ...(isJsonObject(ranking) ? { ranking_options: ranking } : {}),
      filters: filters ?? null,
    };
    return { kind: 'file_search', tool, echo };
  }
  throw Invalid.at([...loc, 'type'], 'Value error, supported tools: file_search, function');
}

/** The tools that an answer uses, and the rules for their use. */
export interface ToolPlan {
  readonly fileSearch: FileSearchTool | null;
  readonly use: ToolUse | null;
  /** The function that must be called, and its position in `tools`; null: no function must be called. */
  readonly called: { readonly tool: FunctionTool; readonly index: number } | null;
}

/**
 * Combines the tools and the tool choice of a request.
 * @throws Invalid if the choice names a tool that the request does not have.
 */
export function planTools(
  tools: ResponseTools,
  given: ToolChoice | null,
  parallel: boolean | null,
): ToolPlan {
  const { fileSearch, functions } = isAllowed(given) ? allowedOf(tools, given) : tools;
  const choice = isAllowed(given) ? given.mode : given;
  const use = (mode: ToolUse['choice']): ToolUse | null =>
    functions.length === 0 ? null : { functions: functions.map(({ tool }) => tool), choice: mode, parallel };
  if (choice === 'none') return { fileSearch: null, use: use('none'), called: null };
  if (choice === 'file_search') {
    if (fileSearch === null) throw noTool('file_search');
    return { fileSearch, use: use('auto'), called: null };
  }
  if (choice !== null && typeof choice === 'object') {
    const called = functions.find(({ tool }) => tool.name === choice.name);
    if (called === undefined) throw noTool(choice.name);
    return { fileSearch: null, use: null, called };
  }
  if (choice !== 'required') return { fileSearch, use: use(choice), called: null };
  if (fileSearch !== null) return { fileSearch, use: use('auto'), called: null };
  const [first, ...others] = functions;
  if (first === undefined) {
    throw Invalid.at(
      ['body', 'tool_choice'],
      'Value error, tool_choice requires a tool call, but the request has no tools',
    );
  }
  return others.length === 0
    ? { fileSearch, use: null, called: first }
    : { fileSearch, use: use('required'), called: null };
}

function isAllowed(choice: ToolChoice | null): choice is AllowedTools {
  return choice !== null && typeof choice === 'object' && 'mode' in choice;
}

function allowedOf(tools: ResponseTools, { names, fileSearch }: AllowedTools): ResponseTools {
  const unknown = names.find((name) => !tools.functions.some(({ tool }) => tool.name === name));
  if (unknown !== undefined) throw noTool(unknown);
  if (fileSearch && tools.fileSearch === null) throw noTool('file_search');
  return {
    ...tools,
    fileSearch: fileSearch ? tools.fileSearch : null,
    functions: tools.functions.filter(({ tool }) => names.includes(tool.name)),
  };
}

function noTool(name: string): Invalid {
  return Invalid.at(['body', 'tool_choice'], `Value error, no tool has the name ${name.slice(0, 80)}`);
}
