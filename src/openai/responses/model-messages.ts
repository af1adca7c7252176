import { Invalid } from '../../errors/index.js';
import type { ChatMessage, ContentPart } from '../../models/llm/language-model.js';
import type { Item, MessagePart } from './items.js';

/** The items of a conversation in the form in which a model receives them. */
export interface ModelMessages {
  /** Texts of system and developer messages. */
  readonly instructions: readonly string[];
  readonly messages: readonly ChatMessage[];
}

const INPUT = ['body', 'input'];

/**
 * Converts items to messages.
 * @throws Invalid for an output without its call, and for a call without its output, because providers reject both.
 */
export function modelMessagesOf(items: readonly Item[]): ModelMessages {
  requirePairs(items);
  const instructions: string[] = [];
  const messages: ChatMessage[] = [];
  for (const item of items) {
    if (item.type === 'file_search_call') continue;
    if (item.type === 'function_call') {
      addCall(messages, { id: item.call_id, name: item.name, arguments: item.arguments });
    } else if (item.type === 'function_call_output') {
      messages.push({ role: 'tool', content: item.output, toolCallId: item.call_id });
    } else if (item.role === 'system' || item.role === 'developer') {
      instructions.push(textOf(item.content));
    } else {
      messages.push({ role: item.role, content: contentOf(item.content) });
    }
  }
  return { instructions, messages };
}

/** Adds a call to the last message if it is from the assistant, otherwise as a new message. */
function addCall(messages: ChatMessage[], call: NonNullable<ChatMessage['toolCalls']>[number]): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') {
    messages.push({ role: 'assistant', content: '', toolCalls: [call] });
    return;
  }
  messages[messages.length - 1] = { ...last, toolCalls: [...(last.toolCalls ?? []), call] };
}

function requirePairs(items: readonly Item[]): void {
  const called = new Set<string>();
  const open = new Set<string>();
  for (const item of items) {
    if (item.type === 'function_call') {
      called.add(item.call_id);
      open.add(item.call_id);
    } else if (item.type === 'function_call_output') {
      if (!called.has(item.call_id))
        throw unpaired('call', 'function call output with call_id', item.call_id);
      open.delete(item.call_id);
    }
  }
  const [first] = open;
  if (first !== undefined) throw unpaired('output', 'function call', first);
}

function unpaired(missing: string, present: string, callId: string): Invalid {
  return Invalid.at(INPUT, `No tool ${missing} found for ${present} ${callId.slice(0, 80)}`);
}

function contentOf(parts: readonly MessagePart[]): ChatMessage['content'] {
  if (parts.every(({ type }) => type !== 'input_image')) return textOf(parts);
  return parts.map((part): ContentPart =>
    part.type === 'input_image'
      ? { type: 'image', dataUri: part.image_url }
      : { type: 'text', text: textOf([part]) },
  );
}

function textOf(parts: readonly MessagePart[]): string {
  return parts
    .map((part) => {
      if (part.type === 'refusal') return part.refusal;
      return part.type === 'input_image' ? '' : part.text;
    })
    .join('');
}
