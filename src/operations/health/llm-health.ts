import { Injectable } from '@nestjs/common';
import { ConfiguredModel } from '../../models/llm/configured-model.js';
import type { LanguageModel } from '../../models/llm/language-model.js';
import { Cached } from '../../request/cached.js';
import type { Finding } from './health.dto.js';

/**
 * How long a check is cached, in milliseconds. It is cached because /health is public and must not put load on the
 * provider.
 */
const TTL_MS = 10_000;
const FAILURE_TTL_MS = 5_000;

@Injectable()
export class LlmHealth {
  /** One cached check for each model, so that a model is checked at once after it is connected. */
  private readonly checks = new WeakMap<LanguageModel, Cached<void>>();

  constructor(private readonly configured: ConfiguredModel) {}

  /** @throws the error of the model's provider. */
  async find(): Promise<Finding> {
    const { model, problem } = await this.configured.get();
    if (problem !== null) return { status: 'degraded', message: problem };
    const check = this.checks.get(model) ?? new Cached(TTL_MS, () => model.check(), FAILURE_TTL_MS);
    this.checks.set(model, check);
    await check.get();
    return { status: 'healthy', message: model.name };
  }
}
