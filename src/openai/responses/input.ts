import { Invalid, type Location, violation } from '../../errors/index.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { eachOf, text } from '../../http/input/parse.js';
import { isJsonObject } from '../../json/exact-json.js';
import { imageData } from '../chat-completions/message-content.js';
import type { GivenItem, MessagePart, MessageRole } from './items.js';

type Members = Readonly<Record<string, unknown>>;

const ROLES: readonly MessageRole[] = ['user', 'assistant', 'system', 'developer'];

/** Types of items that have no text for the conversation. */
const WITHOUT_CONTENT = ['reasoning', 'file_search_call'];

/**
 * Reads the `input` of a response: a text, or items. Items of reasoning and of earlier file searches are ignored; an
 * item of an unknown type is an error.
 */
export const responseInput: Parse = (value, loc): GivenItem[] => {
  if (typeof value === 'string') return [message('user', [inputText(text(value, loc))])];
  if (!Array.isArray(value)) {
    throw Invalid.at(loc, 'Input should be a valid string or a list of items', 'string_type');
  }
  return itemsIn(value, loc);
};

/** Reads a list of items like the items of `input`. */
export const givenItems: Parse = (value, loc): GivenItem[] => {
  if (!Array.isArray(value)) throw violation(loc, 'isArray');
  return itemsIn(value, loc);
};

/** Reads a conversation: its id, or an object with its id. */
export const conversationId: Parse = (value, loc): string =>
  isJsonObject(value) ? member(value, 'id', loc) : text(value, loc);

function itemsIn(value: readonly unknown[], loc: Location): GivenItem[] {
  const items = eachOf((one: unknown, at) => item(one, at))(value, loc) as (GivenItem | null)[];
  return items.filter((one) => one !== null);
}

function item(value: unknown, loc: Location): GivenItem | null {
  if (!isJsonObject(value)) throw violation(loc, 'isObject');
  const type = value['type'] ?? ('role' in value ? 'message' : 'item_reference');
  if (typeof type === 'string' && WITHOUT_CONTENT.includes(type)) return null;
  if (type === 'message') return messageIn(value, loc);
  if (type === 'item_reference') return { type, id: member(value, 'id', loc) };
  if (type === 'function_call') {
    return {
      type,
      call_id: member(value, 'call_id', loc),
      name: member(value, 'name', loc),
      arguments: member(value, 'arguments', loc),
      status: 'completed',
    };
  }
  if (type === 'function_call_output') {
    return {
      type,
      call_id: member(value, 'call_id', loc),
      output: outputText(value['output'], [...loc, 'output']),
      status: 'completed',
    };
  }
  throw Invalid.at(
    [...loc, 'type'],
    'Value error, supported items: message, function_call, function_call_output, file_search_call, reasoning, item_reference',
  );
}

function messageIn(value: Members, loc: Location): GivenItem {
  const role = ROLES.find((one) => one === value['role']);
  if (role === undefined) {
    throw Invalid.at([...loc, 'role'], `Value error, must be one of ${ROLES.join(', ')}`, 'enum');
  }
  const at = [...loc, 'content'];
  const content = value['content'];
  const textPart = role === 'assistant' ? spokenText : inputText;
  if (typeof content === 'string') return message(role, [textPart(text(content, at))]);
  if (!Array.isArray(content)) {
    throw Invalid.at(at, 'Input should be a valid string or a list of parts', 'string_type');
  }
  return message(role, eachOf((one: unknown, place) => part(one, role, place))(content, at) as MessagePart[]);
}

function part(value: unknown, role: MessageRole, loc: Location): MessagePart {
  if (!isJsonObject(value)) throw violation(loc, 'isObject');
  const { type } = value;
  if (type === 'input_text' || type === 'output_text' || type === 'text') {
    const words = member(value, 'text', loc);
    return role === 'assistant' ? spokenText(words) : inputText(words);
  }
  if (type === 'refusal' && role === 'assistant') return spokenText(member(value, 'refusal', loc));
  if (type === 'input_image' && role === 'user') return image(value, loc);
  const reason =
    type === 'input_file'
      ? 'input_file is not supported: put the file into a vector store and name the store in a file_search tool'
      : `supported parts of a message of the role ${role}: ${role === 'user' ? 'input_text, input_image' : 'text'}`;
  throw Invalid.at([...loc, 'type'], `Value error, ${reason}`);
}

function image(value: Members, loc: Location): MessagePart {
  const image_url = imageData(value['image_url'], [...loc, 'image_url']);
  return { type: 'input_image', image_url, detail: 'auto' };
}

/** Returns the output of a function: a text, or text parts. */
function outputText(value: unknown, loc: Location): string {
  if (typeof value === 'string') return text(value, loc);
  if (!Array.isArray(value)) {
    throw Invalid.at(loc, 'Input should be a valid string or a list of parts', 'string_type');
  }
  const texts = eachOf((one: unknown, at) => {
    if (!isJsonObject(one)) throw violation(at, 'isObject');
    if (one['type'] === 'input_text' || one['type'] === 'output_text') return member(one, 'text', at);
    throw Invalid.at([...at, 'type'], 'Value error, supported parts of an output: input_text');
  })(value, loc);
  return (texts as string[]).join('');
}

function message(role: MessageRole, content: readonly MessagePart[]): GivenItem {
  return { type: 'message', role, status: 'completed', content };
}

function inputText(words: string): MessagePart {
  return { type: 'input_text', text: words };
}

function spokenText(words: string): MessagePart {
  return { type: 'output_text', text: words, annotations: [], logprobs: [] };
}

function member(value: Members, name: string, loc: Location): string {
  const at = [...loc, name];
  if (value[name] === undefined) throw violation(at, 'isDefined');
  return text(value[name], at);
}
