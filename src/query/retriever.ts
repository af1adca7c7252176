import type { Scope } from '../auth/scope.js';
import type { Retrieved, RetrieveRequest } from '../retrieval/retrieval.types.js';

/** What a completion needs of retrieval; the retrieval service stands behind it. */
export abstract class Retriever {
  abstract retrieve(scope: Scope, request: RetrieveRequest): Promise<Retrieved>;
}
