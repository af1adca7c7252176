/**
 * Puts values in place of `{name}` placeholders, literally and in one pass: other braces, dollar signs and JSON stay
 * as they are, and a placeholder inside a value is not replaced again.
 *
 * @example fillTemplate('Q: {question} {x}', { question: '$& {question}' }) // 'Q: $& {question} {x}'
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  );
}

/** How often a template has a placeholder. */
export function countPlaceholder(template: string, name: string): number {
  return template.split(`{${name}}`).length - 1;
}
