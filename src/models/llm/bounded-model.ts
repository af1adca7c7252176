import {
  type Completion,
  type CompletionEvent,
  type CompletionRequest,
  LanguageModel,
  type Usage,
} from './language-model.js';
import { countMessages } from './prompt-parts.js';

/** Tokens that are counted for an answer without a limit, until its real size is known. */
const USUAL_ANSWER = 1_024;

/**
 * Counts tokens before a call. The returned function corrects the count.
 * @throws QuotaUsedUp if the tokens are used up
 */
export type TokenMeter = (tokens: number) => Promise<(real: number) => Promise<void>>;

/** A model whose answers have at most a number of tokens, and whose tokens are counted. */
export class BoundedModel extends LanguageModel {
  readonly provider: string;
  readonly name: string;
  readonly contextWindow: number;
  readonly vision: boolean;
  readonly maxTokens: number | null;

  /** @param most tokens of the largest answer; null: no limit */
  constructor(
    private readonly model: LanguageModel,
    private readonly most: number | null,
    private readonly meter: TokenMeter,
  ) {
    super();
    ({
      provider: this.provider,
      name: this.name,
      contextWindow: this.contextWindow,
      vision: this.vision,
    } = model);
    this.maxTokens = this.bounded(model.maxTokens);
  }

  countTokens(text: string): number {
    return this.model.countTokens(text);
  }

  check(): Promise<void> {
    return this.model.check();
  }

  async complete(request: CompletionRequest): Promise<Completion> {
    const { bounded, prompt, settle } = await this.begin(request);
    let real = 0;
    try {
      const completion = await this.model.complete(bounded);
      real = total(completion.usage) ?? prompt + this.countTokens(completion.text);
      return completion;
    } finally {
      await settle(real);
    }
  }

  async *stream(request: CompletionRequest): AsyncIterable<CompletionEvent> {
    const { bounded, prompt, settle } = await this.begin(request);
    let text = '';
    let real: number | undefined;
    try {
      for await (const event of this.model.stream(bounded)) {
        if (event.type === 'end') real = total(event.usage);
        else if ('text' in event) text += event.text;
        yield event;
      }
    } finally {
      // A stream that the client ends was paid for until then.
      await settle(real ?? (text === '' ? 0 : prompt + this.countTokens(text)));
    }
  }

  /** Bounds a request, and counts the tokens of its prompt and of the largest answer. */
  private async begin(request: CompletionRequest) {
    const bounded = { ...request, maxTokens: this.bounded(request.maxTokens) };
    const prompt = countMessages(bounded.messages, this.model);
    const settle = await this.meter(prompt + (bounded.maxTokens ?? USUAL_ANSWER));
    return { bounded, prompt, settle };
  }

  private bounded(tokens: number | null): number | null {
    if (this.most === null) return tokens;
    return tokens === null ? this.most : Math.min(tokens, this.most);
  }
}

/** @returns undefined if the provider sent no usage */
function total({ promptTokens, completionTokens }: Usage): number | undefined {
  const tokens = promptTokens + completionTokens;
  return tokens === 0 ? undefined : tokens;
}
