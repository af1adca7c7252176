import { ApiProperty } from '@nestjs/swagger';

/** The answer of what has nothing else to say. */
export class SuccessDto {
  @ApiProperty({ type: 'string', description: 'Always success.', example: 'success' })
  status: 'success';

  @ApiProperty({ description: 'What was done.', example: 'Document deleted' })
  message: string;
}
