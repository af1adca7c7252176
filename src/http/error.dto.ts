import { ApiProperty } from '@nestjs/swagger';

/** Every error but a 422. */
export class ErrorDto {
  @ApiProperty({ type: 'string', description: 'One sentence.', example: 'Document not found' })
  detail: string;
}

export class ValidationItemDto {
  @ApiProperty({
    description: 'Where the value stands: body, query, path or header, then keys and indexes.',
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    example: ['body', 'k'],
  })
  loc: (string | number)[];

  @ApiProperty({
    type: 'string',
    description: 'What is wrong with it.',
    example: 'Input should be greater than 0',
  })
  msg: string;

  @ApiProperty({
    type: 'string',
    description: 'The kind of error.',
    example: 'greater_than',
    enum: [
      'missing',
      'string_type',
      'string_too_short',
      'int_type',
      'greater_than',
      'greater_than_equal',
      'less_than_equal',
      'bool_type',
      'float_type',
      'list_type',
      'dict_type',
      'enum',
      'extra_forbidden',
      'json_invalid',
      'value_error',
    ],
  })
  type: string;
}

/** 422: everything that is wrong with a request, reported together. */
export class ValidationErrorDto {
  @ApiProperty({ description: 'One item for each offending value.', type: [ValidationItemDto] })
  detail: ValidationItemDto[];
}
