/** Members that several forms have in common. A form knows text only, so objects are JSON in strings. */
export const TYPES_MEMBER = {
  type: 'string',
  description: 'Declared types as a JSON object.',
  example: '{}',
} as const;

export const RULES_MEMBER = {
  type: 'string',
  description: 'Rules as a JSON list: what the configured model does with the content.',
  example: '[]',
} as const;

export const PAGES_MEMBER = {
  type: 'boolean',
  description: 'Embed the pages as images beside the text.',
  example: false,
} as const;
