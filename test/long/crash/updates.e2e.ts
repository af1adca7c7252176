import { Documents, textOf } from '../../support/documents.js';
import { Service } from '../../support/service.js';
import { pause } from '../../support/until.js';

const KILLS = Number(process.env['UPDATE_KILLS'] ?? 3);

describe('updating a text', () => {
  let service: Service;
  let documents: Documents;

  beforeAll(async () => {
    service = await Service.start();
    documents = new Documents(() => service.client);
  });
  afterAll(() => service.stop());

  it(`survives kill -9 at ${KILLS} random moments with either the whole old or the whole new version`, async () => {
    const { external_id: id } = await documents.ingestText(paragraph(0));
    let known = paragraph(0);
    for (let round = 1; round <= KILLS; round += 1) {
      const next = paragraph(round);
      const replace = round % 2 === 0;
      const begun = performance.now();
      // The file name is the title, which is part of the context of every chunk.
      const filename = `round ${round}.txt`;
      const strategy = replace ? 'replace' : 'add';
      const path = `/documents/${id}/update_text?update_strategy=${strategy}`;
      const pending = service.client.post(path, { content: next, filename }).then(
        (answer) => answer.status,
        () => 'gone',
      );
      await untilAfter(begun + Math.random() * 400);
      await service.kill9();
      await pending;
      await service.restart();
      const text = await documents.text(id);
      expect([known, replace ? next : `${known}\n\n${next}`]).toContain(text);
      expect(textOf(await documents.chunks(id))).toBe(text);
      const record = await documents.get(id);
      expect(record.system_metadata.status).toBe('completed');
      expect(record.filename === filename).toBe(text !== known);
      known = text;
    }
  });
});

/** Returns some chunks of text that no other round has. */
function paragraph(round: number): string {
  return Array.from(
    { length: 40 },
    (_, n) => `In round ${round} lighthouse ${n} showed ${round * n} flashes.`,
  ).join(' ');
}

async function untilAfter(moment: number): Promise<void> {
  await pause(Math.max(0, moment - performance.now()), 'the moment of a kill');
}
