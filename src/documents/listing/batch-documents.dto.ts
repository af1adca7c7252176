import { Examples } from '../../http/input/examples.js';
import { TextListField } from '../../http/input/fields.js';
import { EndUserField, FolderNamesField } from '../../retrieval/selection-fields.dto.js';
import { MAX_DOCUMENTS } from '../delete-documents.dto.js';

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

/** Body of POST /batch/documents. */
@Examples({ 'Documents by their ids': { document_ids: ['an id from POST /documents'] } })
export class BatchDocumentsRequest {
  @TextListField({
    required: true,
    maxSize: MAX_DOCUMENTS,
    description: `Identifiers of the documents, at most ${MAX_DOCUMENTS}. Unknown ones are left out.`,
    example: [ID],
  })
  document_ids: string[];

  @FolderNamesField()
  folder_name: string[] | null = null;

  @EndUserField()
  end_user_id: string | null = null;
}
