import type { ChatMessage } from './language-model.js';

/** The text of a message. */
export function wordsOf({ content }: Pick<ChatMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The images of a message as data URIs. */
export function imagesOf({ content }: Pick<ChatMessage, 'content'>): string[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part) => (part.type === 'image' ? [part.dataUri] : []));
}
