import { ApiProperty } from '@nestjs/swagger';
import { SelectionQuery } from '../../retrieval/selection-fields.dto.js';
import { IntegerField } from '../../http/input/fields.js';

export class SuggestionsQuery extends SelectionQuery {
  @IntegerField({ inText: true, min: 1, max: 20, description: 'Maximum number of questions. Default: 3.' })
  limit = 3;
}

export class SuggestionsDto {
  @ApiProperty({
    type: [String],
    description: 'Suggested questions; empty if no document is completed.',
    example: ['When is the lamp lit?'],
  })
  questions: string[];
}
