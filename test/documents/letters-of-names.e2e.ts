import { SharedService } from '../support/shared-service.js';

/** Names whose composed and decomposed spellings differ, from several scripts. */
const NAMES = [
  ['Vietnamese', 'Hướng dẫn bến cảng'],
  ['Korean', '부두 요금표'],
  ['Greek', 'Ελληνικό λιμάνι'],
  ['Japanese', 'ガントリー'],
  ['Cyrillic', 'Причалы й ё'],
  ['Swedish', 'Ångbåt'],
] as const;

describe('a name in letters of other scripts has one spelling', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await SharedService.enter();
  });
  afterAll(() => service.stop());

  it.each(NAMES)('%s', async (_, name) => {
    const [composed, decomposed] = [name.normalize('NFC'), name.normalize('NFD')];
    expect(decomposed).not.toBe(composed);
    const form = new FormData();
    form.set('file', new Blob(['The quay is long.']), `${decomposed}.md`);
    form.set('folder_name', `/${decomposed}`);
    form.set('metadata', JSON.stringify({ place: { name: decomposed }, tags: [decomposed] }));
    const { external_id: id } = (await service.client.post('/ingest/file', form)).json() as {
      external_id: string;
    };
    await service.client.get(`/documents/${id}/status?wait=20`);
    const found = async (body: object): Promise<boolean> => {
      const answer = await service.client.post('/retrieve/chunks', { query: 'quay', k: 50, ...body });
      return answer.status === 200 && answer.text.includes(id);
    };
    for (const spelt of [composed, decomposed]) {
      expect(await found({ folder_name: `/${spelt}` })).toBe(true);
      expect(await found({ filters: { filename: `${spelt}.md` } })).toBe(true);
      expect(await found({ filters: { 'place.name': spelt } })).toBe(true);
      expect(await found({ filters: { tags: { $in: [spelt] } } })).toBe(true);
      expect(await found({ filters: { tags: { $nin: [spelt] } } })).toBe(false);
    }
    const listed = (await service.client.get('/folders/summary')).json() as { full_path: string }[];
    const own = listed.filter(({ full_path: path }) => path.normalize('NFC') === `/${composed}`);
    expect(own).toHaveLength(1);
    const shown = (await service.client.get(`/documents/${id}`)).json() as { filename: string };
    expect(shown.filename).toBe(`${decomposed}.md`);
  });
});
