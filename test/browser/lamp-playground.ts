import type { BrowserContextOptions, Page } from 'playwright-core';
import { Visit } from './visit.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';

/** The answer of {@link LampPlayground.writeAnswer}. */
export const ANSWER = 'It is lit at dusk, every day of the year, by its keeper, who climbs the tower for it.';
export const BEGINNING = 'It is lit at dusk';
export const END = 'who climbs the tower';

/** A browser on the playground of a service with a document about a lamp and a fake language model. */
export class LampPlayground {
  private constructor(
    readonly home: CompletionService,
    readonly visit: Visit,
  ) {}

  /** @param environment settings beside the language model */
  static async open(
    look: readonly [string, BrowserContextOptions],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<LampPlayground> {
    const home = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/writer', ...environment });
    const { service } = home;
    await new Documents(() => service.client).ingestText('The lamp of the observatory is lit at dusk.', {
      filename: 'lamp.txt',
    });
    return new LampPlayground(home, await Visit.start(service.url, service.adminKey, look));
  }

  async close(): Promise<void> {
    await this.visit.close();
    await this.home.stop();
  }

  get page(): Page {
    return this.visit.page;
  }

  /** Sets what the language model does. @param behaviour see FakeProvider */
  behave(behaviour: string): void {
    this.home.provider.alias('writer', behaviour);
  }

  /** Makes the language model write {@link ANSWER}. @param more parts of the behaviour, such as `halfway:KEY` */
  writeAnswer(...more: readonly string[]): void {
    this.behave([`encoded:${encodeURIComponent(ANSWER)}`, ...more].join('|'));
  }

  async ask(question: string): Promise<void> {
    await this.visit.open('Ask');
    await this.page.getByLabel('Your question').fill(question);
    await this.page.keyboard.press('Enter');
  }

  get chatPath(): string {
    return `/chat/${new URL(this.page.url()).hash.split('/').at(-1)!.split('?')[0]!}`;
  }

  /** Expects that the browser contacted only the service and reported only requests without a connection. */
  expectOnlyDisconnections(): void {
    expect(this.visit.foreign).toEqual([]);
    expect(this.visit.complaints.splice(0).filter((one) => !one.includes('net::ERR_'))).toEqual([]);
  }
}
