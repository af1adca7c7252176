import { ApiProperty } from '@nestjs/swagger';
import { DocumentDto } from '../document.dto.js';

export class RefusedFileDto {
  @ApiProperty({ type: 'string', description: 'Name of the file.', example: 'huge.pdf' })
  filename: string;

  @ApiProperty({ type: 'string', description: 'Why.', example: 'The file is larger than 200 MB' })
  error: string;
}

export class IngestedFilesDto {
  @ApiProperty({ type: [DocumentDto], description: 'The documents, as they are processing.' })
  documents: DocumentDto[];

  @ApiProperty({ type: [RefusedFileDto], description: 'Files that were refused.' })
  errors: RefusedFileDto[];
}
