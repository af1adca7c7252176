import type { GetICUArgs } from '@schummar/icu-type-parser';
import type { words } from './en.js';

type English = typeof words;

/** The key of a text. */
export type Key = keyof English;

/** The texts of a language, as ICU messages: https://unicode-org.github.io/icu/userguide/format_parse/messages/ */
export type Words = Readonly<Record<Key, string>>;

/** The values that a text needs. */
export type Values<K extends Key> = GetICUArgs<
  English[K],
  { ICUArgument: string | number; ICUNumberArgument: number; ICUDateArgument: Date }
>;

/** The names of the tags in a text. */
export type TagOf<Text> = Text extends `${string}</${infer Tag}>${infer Rest}` ? Tag | TagOf<Rest> : never;
export type Tag<K extends Key> = TagOf<English[K]>;
