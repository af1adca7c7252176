import { Injectable } from '@nestjs/common';
import { LanguageModels } from '../../llm/language-models.js';
import { runDetached } from '../../request/request-context.js';
import type { Finding } from './health.dto.js';

/** How long a look counts: /health is open to everybody, and must not become a load on the provider. */
const TTL_MS = 10_000;

/** Whether the configured language model could answer. */
@Injectable()
export class LlmHealth {
  private last: { readonly at: number; readonly finding: Promise<Finding> } | undefined;

  constructor(private readonly models: LanguageModels) {}

  /** @throws what the model's provider fails with. */
  find(): Promise<Finding> {
    if (this.last === undefined || this.last.at < Date.now() - TTL_MS) {
      this.last = { at: Date.now(), finding: runDetached(() => this.ask()) };
    }
    return this.last.finding;
  }

  private async ask(): Promise<Finding> {
    const { configured } = this.models;
    await configured.check();
    return { status: 'healthy', message: configured.name };
  }
}
