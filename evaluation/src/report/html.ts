import escapeHtml from 'escape-html';

/** Markup that is safe to put into a page as it is. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = string | number | Html | readonly Html[];

/** Markup from a template: everything put into it is escaped but for what is markup already. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(
    strings.reduce((markup, string, index) => markup + markupOf(parts[index - 1] ?? '') + string),
  );
}

function markupOf(part: Part): string {
  if (part instanceof Html) return part.markup;
  return typeof part === 'object' ? part.map(markupOf).join('') : escapeHtml(String(part));
}
