/** Longer ones are not looked for: a text may begin with a line of dashes and have another at its end. */
const MAX_LENGTH = 4_000;

const FRONT_MATTER = /^---[ \t]*\r?\n(?=[\w-]+:)(?:.*\r?\n)*?---[ \t]*(?:\r?\n|$)/;
const TITLE = /^title:[ \t]*(["']?)(.+?)\1[ \t]*$/im;

/** What a Markdown text says of itself between lines of dashes, which are a part of it; empty when it says nothing. */
export function frontMatterOf(text: Pick<string, 'slice'>): string {
  return FRONT_MATTER.exec(text.slice(0, MAX_LENGTH))?.[0] ?? '';
}

/** The `title:` of a front matter. */
export function titleOfFrontMatter(frontMatter: string): string {
  return TITLE.exec(frontMatter)?.[2] ?? '';
}
