import { ApiProperty } from '@nestjs/swagger';
import { Examples } from '../http/input/examples.js';
import { TextListField } from '../http/input/fields.js';

/** Documents that one request may name. */
export const MAX_DOCUMENTS = 1_000;

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

/** Body of POST /documents/delete. */
@Examples({ 'Documents by their ids': { document_ids: ['an id from POST /documents'] } })
export class DeleteDocumentsRequest {
  @TextListField({
    required: true,
    maxSize: MAX_DOCUMENTS,
    description: `Identifiers of the documents, at most ${MAX_DOCUMENTS}.`,
    example: [ID],
  })
  document_ids: string[];
}

export class DeletedDocumentDto {
  @ApiProperty({ type: 'string', description: 'Identifier, as it was given.', example: ID })
  document_id: string;

  @ApiProperty({
    type: 'string',
    enum: ['success', 'not_found'],
    description: 'What was done.',
    example: 'success',
  })
  status: 'success' | 'not_found';

  @ApiProperty({ type: 'string', description: 'The same in words.', example: `Document ${ID} deleted` })
  message: string;
}

export class DeletedDocumentsDto {
  @ApiProperty({ type: [DeletedDocumentDto], description: 'One for each distinct identifier, in order.' })
  results: DeletedDocumentDto[];
}
