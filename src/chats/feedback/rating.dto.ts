import { Examples } from '../../http/input/examples.js';
import { ChoiceField, TextField } from '../../http/input/fields.js';
import { RATINGS, type Rating } from './feedback.entity.js';

@Examples({
  'A good answer': { rating: 'good' },
  'A bad answer': { rating: 'bad', comment: 'The price is from last year.' },
})
export class RatingDto implements Rating {
  @ChoiceField({ values: RATINGS, required: true, description: 'Whether the answer helped.', example: 'bad' })
  rating: Rating['rating'];

  @TextField({
    description: 'Comment on the answer.',
    example: 'The price is from last year.',
    nullable: true,
    maxLength: 2_000,
  })
  comment: string | null = null;
}
