/**
 * Pattern for a character that a reader sees, which is neither white space nor a format character without a glyph
 * (Unicode's Default_Ignorable_Code_Point in the Basic Multilingual Plane: zero-width space, soft hyphen, byte order
 * mark). The pattern is also in the OpenAPI description, so it has no flags.
 */
export const VISIBLE_CHARACTER = String.raw`[^\s\u034f\u17b4-\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f\u00ad\u061c\u115f-\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufff8]`;

const VISIBLE = new RegExp(VISIBLE_CHARACTER);

/** Returns whether a text has a character that a reader sees. */
export function hasVisibleText(text: string): boolean {
  return VISIBLE.test(text);
}
