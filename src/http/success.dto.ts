import { ApiProperty } from '@nestjs/swagger';

/** Response of operations without a result. */
export class SuccessDto {
  @ApiProperty({ type: 'string', description: 'Always success.', example: 'success' })
  status: 'success';

  @ApiProperty({ description: 'The operation performed.', example: 'Document deleted' })
  message: string;
}
