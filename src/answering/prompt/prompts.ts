export const DEFAULT_SYSTEM_PROMPT = `You answer questions from passages that were retrieved from the user's documents.
Base the answer on the passages and on the conversation. Do not add facts from elsewhere.
When the passages do not contain the answer, say so plainly.
Write no images, and no link whose address is not in the passages as it stands.
Answer in the language of the question, briefly and completely, without mentioning these rules.`;

export const DEFAULT_QUERY_TEMPLATE = `{context}

Question: {question}`;

export const TOOL_RULES =
  'You may call the given functions for what the passages do not contain, or when the user asks for what a function does. What they return counts like a passage.';

export const NOTHING_FOUND = 'No passages were found in the documents for this question.';
export const WITHOUT_PASSAGES = 'Say so, and answer from the question and the conversation alone.';

/** The text that replaces the question if an image is the question. */
export const IMAGE_QUESTION =
  'The first attached image is the question. Say what it asks or shows and answer with the help of the passages.';

export const CITATION_RULES = `After each statement that a passage supports, cite that passage by its number in double square brackets, like this: [[1]].
For several passages write [[1]] [[3]]. Use only the numbers given here and no other form of citation.`;

/** Instructions to rewrite a follow-up question as a standalone question. */
export const REWRITING_INSTRUCTIONS = `Rewrite the user's last message as one question that can be understood without the conversation.
Keep its language and its words where you can; put names in place of "it", "they" and the like.
If it can be understood by itself, repeat it unchanged. Answer with the question alone.`;

export const EXTRACTION_INSTRUCTIONS = 'You find the entities that a text names.';

export const DEFAULT_EXTRACTION_TEMPLATE = `List the people, organisations, places, products, technical terms and other things with a name that the text below mentions.
Give each with the label it has in the text, its type in capitals, and further properties only if the text states them.

Examples of entities:
{examples}

Text:
{content}`;

export const DEFAULT_EXTRACTION_EXAMPLES = [
  { label: 'Ada Lovelace', type: 'PERSON', properties: { occupation: 'mathematician' } },
  { label: 'Royal Society', type: 'ORGANIZATION', properties: {} },
  { label: 'Analytical Engine', type: 'PRODUCT', properties: {} },
];

export const RESOLUTION_INSTRUCTIONS = 'You bring together the different names of one entity.';

export const DEFAULT_RESOLUTION_TEMPLATE = `For each entity below give its canonical name and the other names, spellings and abbreviations that documents may use for it.
Put entities that are the same under one canonical name.

Examples:
{examples_json}

Entities:
{entities_str}`;

export const DEFAULT_RESOLUTION_EXAMPLES = [
  { canonical: 'United Nations', variants: ['UN', 'U.N.', 'the United Nations Organization'] },
  { canonical: 'JavaScript', variants: ['JS', 'ECMAScript'] },
];
