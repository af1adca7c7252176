import { Logger } from '@nestjs/common';
import type { Embedder } from '../embedder.js';
import { unreadAdvice } from '../unread-language.js';

/** Texts that are looked at before anything is said. */
const ENOUGH = 20;

/** Looks at a sample of what is embedded, and says once in the log when the model cannot read most of it. */
export class UnreadTexts {
  private readonly logger = new Logger('EmbeddingModel');
  private readonly sample: string[] = [];

  constructor(private readonly embedder: Pick<Embedder, 'model' | 'unreadable'>) {}

  /** The first of the texts that are embedded together stands for them. */
  look([text]: readonly string[]): void {
    if (text === undefined || this.sample.length >= ENOUGH) return;
    this.sample.push(text);
    if (this.sample.length < ENOUGH) return;
    const advice = unreadAdvice(this.sample, this.embedder);
    if (advice !== null) this.logger.warn(advice);
  }
}
