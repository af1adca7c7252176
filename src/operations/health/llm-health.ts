import { Injectable } from '@nestjs/common';
import { LanguageModel } from '../../llm/language-model.js';
import { Cached } from '../../request/cached.js';
import type { Finding } from './health.dto.js';

/** Cache lifetime: /health is public and must not put load on the provider. */
const TTL_MS = 10_000;

/** Checks whether the configured language model is available. */
@Injectable()
export class LlmHealth {
  private readonly answer = new Cached(TTL_MS, () => this.ask());

  constructor(private readonly model: LanguageModel) {}

  /** @throws the error of the model's provider. */
  find(): Promise<Finding> {
    return this.answer.get();
  }

  private async ask(): Promise<Finding> {
    await this.model.check();
    return { status: 'healthy', message: this.model.name };
  }
}
