import { addressOf } from './connection/service-address.js';
import { ServiceConnection } from './connection/service-connection.js';
import { reportFailure } from './report-failure.js';
import { passageList, type Passage } from './search/passage-list.js';
import { parseSearchCommand, USAGE } from './search/search-command.js';

/** `lectern search`: the passages for a question. */
async function main(args: readonly string[]): Promise<void> {
  const command = parseSearchCommand(args, process.env);
  const service = new ServiceConnection(await addressOf(command));
  await service.reach();
  const { body } = await service.post('/retrieve/chunks', command.request);
  if (command.json) {
    console.log(JSON.stringify(body, null, 2));
    return;
  }
  const passages = body as readonly Passage[];
  if (passages.length === 0) console.error('Nothing was found.');
  else console.log(passageList(passages));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE, brief: true });
});
