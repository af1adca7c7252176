import type { RetrieveChunksRequest } from '../api/lectern.js';
import type { DescribedRequest } from '../requests/described-request.js';
import { argumentText } from '../requests/to-code.js';

export function searchRequest(body: RetrieveChunksRequest): DescribedRequest {
  return {
    method: 'POST',
    path: '/retrieve/chunks/grouped',
    body,
    call: `const { groups } = await lectern.retrieveGrouped(${argumentText(body)});`,
  };
}
