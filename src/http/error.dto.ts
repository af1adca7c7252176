import { ApiProperty } from '@nestjs/swagger';

/** Body of every error except a 422. */
export class ErrorDto {
  @ApiProperty({ description: 'Error message.', example: 'The API key has expired' })
  detail: string;
}

export class OpenAiErrorDto {
  @ApiProperty({ description: 'Error message.', example: 'The API key has expired' })
  message: string;

  @ApiProperty({ description: 'Error type.', example: 'authentication_error' })
  type: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The path of the first invalid field, such as `metadata.k`.',
    example: null,
  })
  param: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Error code of the OpenAI protocol, such as `invalid_api_key`.',
    example: 'invalid_api_key',
  })
  code: string | null;
}

/** Additional member of error bodies under `/v1`: the error in the format of the OpenAI protocol. */
export class ProtocolErrorDto {
  @ApiProperty({ type: OpenAiErrorDto, description: 'The same error for clients of the OpenAI protocol.' })
  error: OpenAiErrorDto;
}

export class ValidationItemDto {
  @ApiProperty({
    description: 'Location of the value: body, query, path or header, then keys and indexes.',
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    example: ['body', 'k'],
  })
  loc: (string | number)[];

  @ApiProperty({ description: 'Error message.', example: 'Input should be greater than 0' })
  msg: string;

  @ApiProperty({
    type: 'string',
    description: 'Error type.',
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

/** Body of a 422: all validation errors of a request. */
export class ValidationErrorDto {
  @ApiProperty({ description: 'One item per invalid value.', type: [ValidationItemDto] })
  detail: ValidationItemDto[];
}

/** Response of operations without a result. */
export class SuccessDto {
  @ApiProperty({ type: 'string', description: 'Always success.', example: 'success' })
  status: 'success';

  @ApiProperty({ description: 'The operation performed.', example: 'Document deleted' })
  message: string;
}
