import type { Answer, Client } from './client.js';

export interface Folder {
  readonly id: string;
  readonly name: string;
  readonly full_path: string;
  readonly parent_id: string | null;
  readonly depth: number;
  readonly child_count: number;
  readonly description: string | null;
  readonly document_ids: readonly string[];
}

export interface FolderSummary {
  readonly id: string;
  readonly full_path: string;
  readonly doc_count: number;
}

export interface FolderDetails {
  readonly folder: Folder;
  readonly document_info: {
    readonly total_count: number | null;
    readonly status_counts: Readonly<Record<string, number>> | null;
    readonly documents: readonly { readonly external_id: string }[] | null;
  } | null;
}

/** Calls the folder routes of a service. Throws if a call fails. */
export class Folders {
  constructor(private readonly client: () => Client) {}

  async create(path: string, more: object = {}): Promise<Folder> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return read(await this.client().post('/folders', { name, full_path: path, ...more })) as Folder;
  }

  async get(name: string): Promise<Folder> {
    return read(await this.client().get(`/folders/${name}`)) as Folder;
  }

  async list(): Promise<readonly Folder[]> {
    return read(await this.client().get('/folders')) as Folder[];
  }

  async paths(): Promise<string[]> {
    return (await this.list()).map(({ full_path: path }) => path);
  }

  async summaries(): Promise<readonly FolderSummary[]> {
    return read(await this.client().get('/folders/summary')) as FolderSummary[];
  }

  async details(body: object): Promise<readonly FolderDetails[]> {
    const answer = read(await this.client().post('/folders/details', body));
    return (answer as { folders: FolderDetails[] }).folders;
  }

  async move(name: string, newPath: string): Promise<Folder> {
    return read(await this.client().post(`/folders/${name}/move`, { new_path: newPath })) as Folder;
  }
}

function read(answer: Answer): unknown {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.json();
}
