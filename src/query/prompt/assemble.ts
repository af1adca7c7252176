import type { ChatMessage, ContentPart } from '../../llm/completion.js';
import { delimiterKey } from '../../llm/delimiter.js';
import type { JsonSchema } from '../../llm/structured/json-schema.js';
import { schemaRules } from '../../llm/structured/schema-rules.js';
import { contextBlock, retrievedTexts, type PromptPassage } from './context-block.js';
import { DEFAULT_QUERY_TEMPLATE, DEFAULT_SYSTEM_PROMPT, IMAGE_QUESTION } from './default-prompts.js';
import { fillTemplate } from './fill-template.js';
import type { PromptOverrides } from './prompt-overrides.js';

/** Everything a prompt is made of but the passages. */
export interface PromptParts {
  /** null when an image is the question. */
  readonly question: string | null;
  /** Data URI. */
  readonly questionImage: string | null;
  readonly history: readonly ChatMessage[];
  readonly overrides: PromptOverrides['query'];
  readonly schema: JsonSchema | null;
  readonly citations: boolean;
}

/**
 * The messages for one completion: instructions in the system turn, then the conversation, then one user turn with the
 * passages and the question. Retrieved text is in that user turn only, between lines with a key of this request.
 * @param drawKey source of delimiter keys, for tests.
 */
export function assemblePrompt(
  parts: PromptParts,
  passages: readonly PromptPassage[],
  drawKey?: () => string,
): ChatMessage[] {
  const key = delimiterKey(retrievedTexts(passages), drawKey);
  const context = contextBlock(passages, key, parts.citations);
  const question = parts.question ?? IMAGE_QUESTION;
  const filled = fillTemplate(parts.overrides?.template ?? DEFAULT_QUERY_TEMPLATE, { question, context });
  const text = parts.schema === null ? filled : `${filled}\n\n${schemaRules(parts.schema)}`;
  return [
    { role: 'system', content: parts.overrides?.systemPrompt ?? DEFAULT_SYSTEM_PROMPT },
    ...parts.history,
    { role: 'user', content: withImages(text, imagesOf(parts, passages)) },
  ];
}

function imagesOf({ questionImage }: PromptParts, passages: readonly PromptPassage[]): ContentPart[] {
  const pages = passages.filter(({ asImage }) => asImage).map(({ chunk }) => chunk.content);
  const images = questionImage === null ? pages : [questionImage, ...pages];
  return images.map((dataUri) => ({ type: 'image', dataUri }));
}

function withImages(text: string, images: readonly ContentPart[]): ChatMessage['content'] {
  return images.length === 0 ? text : [{ type: 'text', text }, ...images];
}
