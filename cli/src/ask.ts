import { parseAskCommand, USAGE } from './ask/ask-command.js';
import { sourceList, type KnownSource, type Source } from './ask/source-list.js';
import { addressOf } from './connection/service-address.js';
import { ServiceConnection } from './connection/service-connection.js';
import { reportFailure } from './report-failure.js';

type AnswerEvent =
  | { readonly type: 'assistant'; readonly content: string }
  | {
      readonly type: 'done';
      readonly sources: readonly Source[];
      readonly metadata: { readonly model: string };
    }
  | { readonly type: 'error'; readonly detail: string; readonly status: number };

/** `lectern ask`: an answer as it is written, and what it was made from. */
async function main(args: readonly string[]): Promise<void> {
  const command = parseAskCommand(args, process.env);
  const service = new ServiceConnection(await addressOf(command));
  await service.reach();
  for await (const data of service.stream('/query', command.request)) {
    const event = JSON.parse(data) as AnswerEvent;
    if (event.type === 'error') throw new Error(`\n${event.status}: ${event.detail}`);
    if (event.type === 'assistant') {
      process.stdout.write(event.content);
      continue;
    }
    process.stdout.write('\n');
    const { sources, metadata } = event;
    if (sources.length === 0) console.error('\nNo source: nothing was found.');
    else {
      const { body } = await service.post('/batch/chunks', { sources });
      console.error(`\nSources (${metadata.model}):`);
      for (const line of sourceList(sources, body as readonly KnownSource[])) console.error(`  ${line}`);
    }
    return;
  }
  throw new Error('\nThe answer broke off');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE, brief: true });
});
