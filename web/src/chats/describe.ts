import type { DescribedRequest } from '../requests/described-request.js';

export function chatRequests(id: string | null): DescribedRequest[] {
  const list: DescribedRequest = {
    method: 'GET',
    path: '/chats',
    call: 'const chats = await lectern.chats.list();',
  };
  if (id === null) return [list];
  const path = encodeURIComponent(id);
  return [
    list,
    { method: 'GET', path: `/chat/${path}`, call: `const messages = await lectern.chats.messages('${id}');` },
    {
      method: 'PATCH',
      path: `/chats/${path}/title`,
      query: { title: 'A new title' },
      call: `await lectern.chats.rename('${id}', 'A new title');`,
    },
    {
      method: 'POST',
      path: `/chats/${path}/link`,
      call: `const { url } = await lectern.chats.share('${id}');`,
    },
    { method: 'DELETE', path: `/chats/${path}`, call: `await lectern.chats.delete('${id}');` },
  ];
}
