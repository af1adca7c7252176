import type { DescribedRequest } from '../requests/described-request.js';
import { argumentText } from '../requests/to-code.js';
import { PAGE_SIZE } from './document-list.js';
import { windowOf, type ListQuery } from './list-query.js';

/** The requests of these views, to display as code. */
export function uploadRequest(file: string, fields: Readonly<Record<string, string>>): DescribedRequest {
  const options = Object.entries(fields).map(([name, value]) =>
    name === 'folder_name' ? [name, value] : [name, JSON.parse(value) as unknown],
  );
  return {
    method: 'POST',
    path: '/ingest/file',
    form: { file, fields },
    call: `const { external_id: id } = await lectern.ingestFile(file, ${argumentText({ filename: file, ...Object.fromEntries(options) })});\nawait lectern.wait(id);`,
  };
}

export function listRequest(query: ListQuery): DescribedRequest {
  const {
    folder_name: folders,
    folder_depth: depth,
    ...body
  } = { ...windowOf(query), skip: 0, limit: PAGE_SIZE };
  const scope = {
    ...(folders === undefined ? {} : { folder_name: folders }),
    ...(depth === undefined ? {} : { folder_depth: depth }),
  };
  return {
    method: 'POST',
    path: '/documents',
    body,
    query: {
      ...(folders === undefined ? {} : { folder_name: folders }),
      ...(depth === undefined ? {} : { folder_depth: String(depth) }),
    },
    call: `const listing = await lectern.listing(${argumentText({ ...body, ...scope })});`,
  };
}

/**
 * @param hasImages whether the document has page images
 * @param canWrite whether the key may change documents
 */
export function documentRequests(id: string, hasImages: boolean, canWrite: boolean): DescribedRequest[] {
  const text = {
    document_filters: { external_id: id },
    fields: ['system_metadata.content'],
    limit: 1,
  };
  const pages = { document_id: id, start_page: 1, end_page: 4, output_format: 'url' };
  const ofPages = {
    method: 'POST' as const,
    path: '/documents/pages',
    body: pages,
    call: `const { pages } = await lectern.pageImages(${argumentText(pages)});`,
  };
  const readers = { readers: ['user:ann', 'group:sales'] };
  const changes: DescribedRequest[] = [
    {
      method: 'PATCH',
      path: `/documents/${id}`,
      body: { filename: 'new-name.pdf' },
      call: `await lectern.rename('${id}', 'new-name.pdf');`,
    },
    {
      method: 'PATCH',
      path: `/documents/${id}`,
      body: { access_control: readers },
      call: `await lectern.changeAccess('${id}', ${argumentText(readers)});`,
    },
    { method: 'DELETE', path: `/documents/${id}`, call: `await lectern.delete('${id}');` },
  ];
  return [
    { method: 'GET', path: `/documents/${id}`, call: `const record = await lectern.get('${id}');` },
    { method: 'POST', path: '/documents', body: text, call: `const text = await lectern.text('${id}');` },
    ...(hasImages ? [ofPages] : []),
    ...(canWrite ? changes : []),
  ];
}
