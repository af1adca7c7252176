import { Injectable } from '@nestjs/common';
import { LanguageModel } from '../../llm/language-model.js';
import { Cached } from '../../request/cached.js';
import type { Finding } from './health.dto.js';

/** How long a look counts: /health is open to everybody, and must not become a load on the provider. */
const TTL_MS = 10_000;

/** Whether the configured language model could answer. */
@Injectable()
export class LlmHealth {
  private readonly answer = new Cached(TTL_MS, () => this.ask());

  constructor(private readonly model: LanguageModel) {}

  /** @throws what the model's provider fails with. */
  find(): Promise<Finding> {
    return this.answer.get();
  }

  private async ask(): Promise<Finding> {
    await this.model.check();
    return { status: 'healthy', message: this.model.name };
  }
}
