/** An entity as `entity_extraction.examples` gives it. */
export interface EntityExample {
  readonly label: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>> | null;
}

/** Names of one entity as `entity_resolution.examples` gives them. */
export interface ResolutionExample {
  readonly canonical: string;
  readonly variants: readonly string[];
}

/** `prompt_overrides` of a request, validated. */
export interface PromptOverrides {
  readonly entityExtraction: {
    readonly template: string | null;
    readonly examples: readonly EntityExample[] | null;
  } | null;
  readonly entityResolution: {
    readonly template: string | null;
    readonly examples: readonly ResolutionExample[] | null;
  } | null;
  readonly query: { readonly template: string | null; readonly systemPrompt: string | null } | null;
}

export const NO_OVERRIDES: PromptOverrides = { entityExtraction: null, entityResolution: null, query: null };
