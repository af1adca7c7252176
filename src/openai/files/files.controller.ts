import { Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { ApiFileResponses, sendFile } from '../../documents/files/file-delivery.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { FormBody } from '../../http/forms.js';
import { Route } from '../../http/route.decorator.js';
import { pageOf } from '../cursor-list.js';
import { PathIds } from '../path-ids.js';
import { DeletedFileDto, FileDto, FileListDto, FilesQuery, toFileDto, UploadFileFields } from './file.dto.js';
import { FileService } from './file.service.js';

const NO_FILE = { 404: 'No file has the id "file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d"' };

@ApiTags('vector stores')
@Controller('v1/files')
export class OpenAiFilesController {
  constructor(private readonly service: FileService) {}

  @Post()
  @Route({ operationId: 'createFile', permission: 'write', summary: 'Upload a file', multipart: true })
  @FormBody({ name: 'file', description: 'The file.' }, UploadFileFields)
  @ApiOkResponse({ type: FileDto })
  async upload(@CurrentScope() scope: Scope, @Req() request: FastifyRequest): Promise<FileDto> {
    return toFileDto(await this.service.upload(scope, request));
  }

  @Get()
  @Route({ operationId: 'listFiles', permission: 'read', summary: 'List uploaded files' })
  @ApiOkResponse({ type: FileListDto })
  async list(@CurrentScope() scope: Scope, @Query() query: FilesQuery): Promise<FileListDto> {
    const { rows, hasMore } = await this.service.list(scope, query);
    return pageOf(rows.map(toFileDto), hasMore);
  }

  @Get(':file_id')
  @Route({ operationId: 'getFile', permission: 'read', summary: 'Get a file', errors: NO_FILE })
  @PathIds('file')
  @ApiOkResponse({ type: FileDto })
  async get(@CurrentScope() scope: Scope, @Param('file_id') id: string): Promise<FileDto> {
    return toFileDto(await this.service.get(scope, id));
  }

  @Delete(':file_id')
  @Route({
    operationId: 'deleteFile',
    permission: 'write',
    summary: 'Delete a file',
    audit: { action: 'file.delete', subject: ({ params }) => [params['file_id']] },
    description: 'Removes the file from every vector store.',
    errors: { ...NO_FILE, 400: 'The file is a document that was not uploaded as a file' },
  })
  @PathIds('file')
  @ApiOkResponse({ type: DeletedFileDto })
  async delete(@CurrentScope() scope: Scope, @Param('file_id') id: string): Promise<DeletedFileDto> {
    await this.service.delete(scope, id);
    return { id, object: 'file', deleted: true };
  }

  @Get(':file_id/content')
  @Route({
    operationId: 'getFileContent',
    permission: 'read',
    summary: 'Get the content of a file',
    errors: { ...NO_FILE, 416: 'The range must be a single range within the 48219 bytes of the file' },
  })
  @PathIds('file')
  @ApiFileResponses()
  async content(
    @CurrentScope() scope: Scope,
    @Param('file_id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await sendFile(request, reply, () => this.service.content(scope, id));
  }
}
