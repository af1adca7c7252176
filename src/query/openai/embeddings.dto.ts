import { Invalid } from '../../errors/index.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { Examples } from '../../http/input/examples.js';
import { ChoiceField, Field, IntegerField, TextField } from '../../http/input/fields.js';
import { textDefect } from '../../json/text-defect.js';

const MAX_TEXTS = 2_048;

/** One text or several, as a list. Lists of tokens belong to a tokenizer that is not this model's. */
const texts: Parse = (value, loc) => {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0 || list.length > MAX_TEXTS) {
    throw Invalid.at(loc, `Value error, input expects 1 to ${MAX_TEXTS} texts, got ${list.length}`);
  }
  for (const [index, text] of list.entries()) {
    if (typeof text === 'string' && text.trim() !== '' && textDefect(text) === undefined) continue;
    const at = Array.isArray(value) ? [...loc, index] : loc;
    throw Invalid.at(
      at,
      'Value error, input expects well-formed texts that are not blank; tokens are not taken',
    );
  }
  return list;
};

/** Body of an embeddings request of the OpenAI protocol. */
@Examples({
  'Two texts': { model: 'lectern', input: ['The last boat leaves at nine.', 'When does the boat leave?'] },
})
export class EmbeddingsDto {
  @TextField({
    description: 'Name of the configured embedding model, or `lectern` for it.',
    example: 'lectern',
    required: true,
    notEmpty: true,
  })
  model: string;

  @Field(
    { description: 'A text, or up to 2,048 of them.', required: true, parse: texts },
    {
      oneOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: MAX_TEXTS },
      ],
    },
  )
  input: string[];

  @ChoiceField({
    description: 'Numbers, or the bytes of 32-bit floats (little-endian) in base64.',
    values: ['float', 'base64'],
    example: 'float',
    nullable: true,
    openapi: { default: 'float' },
  })
  encoding_format: 'float' | 'base64' | null = null;

  @IntegerField({
    description: 'Length of the vectors: that of the model, which cannot be changed here.',
    nullable: true,
    positive: true,
  })
  dimensions: number | null = null;
}
