import { Writable } from 'node:stream';
import { pino } from 'pino';
import { loggerOptions, NestLogger } from './logger.js';
import { settingsWith } from '../../test/support/settings.js';

function capture(environment: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  return { lines, logger: pino(loggerOptions(settingsWith(environment)), stream) };
}

describe('the log', () => {
  it('redacts secrets', () => {
    const { lines, logger } = capture();
    logger.info({
      authorization: 'Bearer s3cret',
      headers: { authorization: 'Bearer s3cret' },
      request: { headers: { authorization: 'Bearer s3cret' } },
      llm_config: { api_key: 's3cret', model: 'x' },
      body: { llm_config: { api_key: 's3cret' } },
    });
    expect(JSON.stringify(lines)).not.toContain('s3cret');
    expect(lines[0]).toMatchObject({ llm_config: { model: 'x' } });
  });

  it('keeps an entry on one line, whatever it contains', () => {
    const { lines, logger } = capture();
    logger.info({ name: 'a\n{"level":"info","msg":"forged"}' }, 'b\r\nc');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ msg: 'b\r\nc' });
  });

  it("contains Nest's messages with their context; start-up messages at debug only", () => {
    const { lines, logger } = capture();
    const nest = new NestLogger(logger);
    nest.log('Mapped {/x}', 'RouterExplorer');
    nest.log('ready', 'Keys');
    nest.error(new Error('broken'), 'Jobs');
    nest.error('failed', 'Error: x\n    at y', 'Jobs');
    nest.warn({ err: new Error('lost'), document: 'd' }, 'document failed', 'Jobs');
    expect(lines.map(({ msg, context }) => [msg, context])).toEqual([
      ['ready', 'Keys'],
      ['broken', 'Jobs'],
      ['failed', 'Jobs'],
      ['document failed', 'Jobs'],
    ]);
    expect(lines[3]).toMatchObject({ err: { message: 'lost' }, document: 'd' });
    expect(lines[1]).toMatchObject({ err: { message: 'broken' } });
    expect(lines[2]).toMatchObject({ stack: 'Error: x\n    at y' });
  });
});
