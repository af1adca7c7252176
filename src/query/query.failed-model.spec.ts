import { AskedManual, eventsOf, requestOf, textOf } from '../../test/support/query-service.js';
import { runInContext } from '../request/request-context.js';
import type { StreamEvent } from './query.types.js';

const QUESTION = 'How many kilograms does the device weigh?';
const FAILURE = expect.stringMatching(/^The provider of .* refused the request/) as string;

describe('a question whose model fails', () => {
  const asked = new AskedManual();
  const { ask, stored, wired } = asked;
  const stream = (behaviour: string, body: object): Promise<StreamEvent[]> =>
    runInContext(undefined, () =>
      eventsOf(
        wired(behaviour).service.stream(
          asked.scope,
          requestOf({ query: QUESTION, ...body }),
          () => undefined,
        ),
      ),
    );
  const evidence = async (): Promise<unknown> =>
    asked.database.dataSource.query(
      `select t.evidence ->> 'model' as model, t.evidence -> 'answered' as answered,
         t.evidence ->> 'model_failure' as failure
       from turns t where t.app_id = $1 and t.role = 'assistant'`,
      [asked.scope.appId],
    );

  it('is an error by default', async () => {
    await expect(ask('status:400', {})).rejects.toMatchObject({ status: 502 });
    await expect(stream('status:400', {})).rejects.toMatchObject({ status: 502 });
  });

  it('is answered with quotations if it asks for them, and its chat tells why', async () => {
    const { completion, metadata } = await ask('status:400', {
      query: QUESTION,
      chat_id: 'c',
      quote_on_failure: true,
    });
    expect(completion).toContain('The device weighs two kilograms.');
    expect(metadata).toMatchObject({ model: 'extractive', answered: true, model_failure: FAILURE });
    await expect(stored('c')).resolves.toHaveLength(2);
    await expect(evidence()).resolves.toEqual([{ model: 'extractive', answered: true, failure: FAILURE }]);
  });

  it('says that no passage answers it', async () => {
    asked.retrieval.chunks = [];
    const { metadata } = await ask('status:400', { query: QUESTION, chat_id: 'c', quote_on_failure: true });
    expect(metadata).toMatchObject({ answered: false, model_failure: FAILURE });
    await expect(evidence()).resolves.toMatchObject([{ answered: false, failure: FAILURE }]);
  });

  it('is streamed like that', async () => {
    const events = await stream('status:400', { quote_on_failure: true, stream_sources: true });
    const whole = await ask('status:400', { query: QUESTION, quote_on_failure: true });
    expect(textOf(events)).toBe(whole.completion);
    expect(events.at(-1)).toMatchObject({ type: 'done', metadata: { model_failure: FAILURE } });
  });

  it('stays an error after the first word, and if nothing can be quoted', async () => {
    const more = { quote_on_failure: true, chat_id: 'c' };
    await expect(stream('tokens:50|breaks', more)).rejects.toMatchObject({ status: 502 });
    await expect(stored('c')).resolves.toEqual([
      `user: ${QUESTION}`,
      expect.stringMatching(/^assistant: word/),
    ]);
    const shaped = { ...more, schema: { type: 'object' } };
    await expect(ask('status:400', shaped)).rejects.toMatchObject({ status: 502 });
    await expect(stream('status:400', shaped)).rejects.toMatchObject({ status: 502 });
  });

  it('has no failure in its answer when the model answers', async () => {
    const { metadata } = await ask('plain', { quote_on_failure: true });
    expect(metadata).not.toHaveProperty('model_failure');
  });
});
