import { ApiProperty } from '@nestjs/swagger';

/** Every error but a 422. */
export class ErrorDto {
  @ApiProperty({ description: 'One sentence.', example: 'The API key has expired' })
  detail: string;
}

export class OpenAiErrorDto {
  @ApiProperty({ description: 'What is wrong, in words.', example: 'The API key has expired' })
  message: string;

  @ApiProperty({ description: 'Its kind.', example: 'authentication_error' })
  type: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The path of the first wrong field, such as `metadata.k`.',
    example: null,
  })
  param: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The name of the error in the OpenAI protocol, such as `invalid_api_key`.',
    example: 'invalid_api_key',
  })
  code: string | null;
}

/** Beside `detail`, under `/v1`: as clients of the OpenAI protocol read an error. */
export class ProtocolErrorDto {
  @ApiProperty({ type: OpenAiErrorDto, description: 'The same for clients of the OpenAI protocol.' })
  error: OpenAiErrorDto;
}

export class ValidationItemDto {
  @ApiProperty({
    description: 'Where the value stands: body, query, path or header, then keys and indexes.',
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    example: ['body', 'k'],
  })
  loc: (string | number)[];

  @ApiProperty({ description: 'What is wrong with it.', example: 'Input should be greater than 0' })
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
