import { randomUUID } from 'node:crypto';
import type { Client } from '../../support/client.js';
import { Documents } from '../../support/documents.js';
import { numberedPdf } from '../../support/minimal-pdf.js';
import type { Kind, Whose } from './table.js';
import { until } from '../../support/until.js';

/** The ids of a thing and of what belongs to it, by the names of the parameters of the routes. */
export type Thing = Readonly<Partial<Record<string, string>>>;

export type ThingKind = Kind | 'paged document' | 'document to move';

const LISTS = { readers: ['rita', 'group:gang'], writers: ['will'], admins: ['adam'] };

/** Makes things for the specs of who may do what. */
export class Things {
  private made = 0;

  /**
   * @param owner who makes a thing of a person
   * @param application who makes a thing of the tenant, or of a key
   * @param admin who makes keys and groups
   * @param openFile id of a file of the tenant
   * @param openStore id of a vector store of the tenant
   */
  constructor(
    private readonly owner: Client,
    private readonly application: Client,
    private readonly admin: Client,
    private readonly openFile: string,
    private readonly openStore: string,
    private readonly as: (key: string) => Client,
  ) {}

  /** Makes a thing. It is called `thing-N`, each with another N. */
  async make(kind: ThingKind, whose: Whose): Promise<Thing> {
    const name = `thing-${(this.made += 1)}-`;
    const maker = whose === 'of a person' ? this.owner : this.application;
    const lists = whose === 'of a person' ? { access_control: LISTS } : {};
    switch (kind) {
      case 'document':
      case 'folder':
        return this.document(maker, name, lists);
      case 'document to move': {
        const thing = await this.document(maker, name, lists);
        return { ...thing, folder: 'open' };
      }
      case 'paged document':
        return this.paged(maker, name, lists);
      case 'store':
      case 'file':
      case 'batch':
        return this.store(maker, lists);
      case 'chat':
      case 'feedback':
        return this.chat(maker, name);
      case 'conversation':
        return this.conversation(maker);
      case 'response': {
        const body = { model: 'lectern', input: 'Hello' };
        const id = idIn(await posted(maker, '/v1/responses', body));
        return { response_id: id, open_store: this.openStore };
      }
      case 'key':
      case 'usage':
        return this.key(name);
      case 'group':
        await posted(this.admin, '/groups', { id: name, members: ['gus'] });
        return { group_id: name, member_id: 'gus' };
    }
  }

  private async document(maker: Client, folder: string, lists: object): Promise<Thing> {
    await posted(maker, '/folders', { name: folder, ...lists });
    const filename = `${folder}.txt`;
    const { external_id: id } = await new Documents(() => maker).ingestText('The lamp is lit at dusk.', {
      filename,
      folder_name: `/${folder}`,
      metadata: { [`field of ${folder}`]: 1 },
    });
    await maker.put(`/documents/${id}/summary`, { content: 'A lamp.' });
    await maker.put(`/folders/${folder}/summary`, { content: 'Lamps.' });
    return { document_id: id, folder, filename, name: 'filename' };
  }

  private async paged(maker: Client, name: string, lists: object): Promise<Thing> {
    const { external_id: id } = await new Documents(() => maker).ingestFile(
      `${name}.pdf`,
      numberedPdf(1, 'page'),
      {
        use_colpali: 'true',
        ...('access_control' in lists ? { access_control: JSON.stringify(lists.access_control) } : {}),
      },
    );
    return { document_id: id, page_number: '1' };
  }

  private async store(maker: Client, lists: object): Promise<Thing> {
    const form = new FormData();
    form.append('file', new Blob(['The lamp is lit at dusk.']), 'lamp.txt');
    form.append('purpose', 'assistants');
    const file = idIn(await posted(maker, '/v1/files', form));
    const store = idIn(await posted(maker, '/v1/vector_stores', { name: 'Lamps' }));
    if ('access_control' in lists) {
      const folder = `/folders/vector_stores/${store}`;
      const { status, text } = await maker.call('PATCH', folder, { body: lists });
      if (status !== 200) throw new Error(text);
    }
    const place = `/v1/vector_stores/${store}/file_batches`;
    const batch = idIn(await posted(maker, place, { file_ids: [file] }));
    await until('the file is in the store', async () =>
      (await maker.get(`${place}/${batch}`)).text.includes('"completed":1'),
    );
    return { vector_store_id: store, file_id: file, batch_id: batch, open_file: this.openFile };
  }

  private async chat(maker: Client, name: string): Promise<Thing> {
    const id = randomUUID();
    const question = `Is ${name} lit?`;
    await posted(maker, '/query', {
      query: question,
      chat_id: id,
      inline_citations: true,
      llm_config: { model: 'text:At dusk. [[1]]' },
    });
    const rated = await maker.put(`/chat/${id}/messages/1/feedback`, { rating: 'good' });
    if (rated.status !== 200) throw new Error(rated.text);
    return { chat_id: id, message_index: '1', question };
  }

  private async conversation(maker: Client): Promise<Thing> {
    const id = idIn(
      await posted(maker, '/v1/conversations', { items: [{ role: 'user', content: 'Hello' }] }),
    );
    const items = (await maker.get(`/v1/conversations/${id}/items`)).json() as { data: { id: string }[] };
    return { conversation_id: id, item_id: items.data[0]?.id ?? '', open_store: this.openStore };
  }

  /** A key of a person that has been used. */
  private async key(name: string): Promise<Thing> {
    const body = { name, scopes: ['read'], end_user_id: name };
    const { id, key } = JSON.parse(await posted(this.admin, '/keys', body)) as { id: string; key: string };
    await this.as(key).post('/documents', {});
    await until('the key is in the usage', async () =>
      (await this.admin.get('/usage/keys')).text.includes(name),
    );
    return { id, key_name: name };
  }
}

async function posted(client: Client, path: string, body: object): Promise<string> {
  const { status, text } = await client.post(path, body);
  if (status !== 200) throw new Error(`${path}: ${text}`);
  return text;
}

function idIn(text: string): string {
  return (JSON.parse(text) as { id: string }).id;
}
