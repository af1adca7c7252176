import type { MultipartFile } from '@fastify/multipart';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { BadRequest, Invalid, PayloadTooLarge, type Location } from '../../errors/index.js';
import { readInput, type Type } from '../../http/input/input.pipe.js';
import { JsonBoundError, readJson } from '../../json/read-json.js';
import { requireName, withoutBidiControls } from '../document-name.js';
import { PartCharsets } from './part-charsets.js';
import { newDocumentId, SourceStore, type StoredSource } from './source-store.js';

/** A file that came with a form and is in the object store. */
export interface UploadedFile extends StoredSource {
  readonly filename: string | null;
  /** Media type that the client declares, with its `charset`. */
  readonly declaredType: string;
  /** It was longer than MAX_FILE_MB, and is cut there. */
  readonly truncated: boolean;
}

export interface Upload<Fields> {
  readonly files: readonly UploadedFile[];
  readonly fields: Fields;
}

interface UploadForm<Fields extends object> {
  readonly fileField: string;
  readonly fields: Type<Fields>;
  /** The document that the files are for; undefined makes each of them a new one. */
  readonly documentId?: string;
}

/** What the parser of forms says of one that it cannot read; its errors have no codes. */
const MALFORMED = /multipart data|^Malformed |boundary/i;

/** RFC 9110, section 8.3, without parameters. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/;

const JSON_MEMBERS = ['metadata', 'metadata_types', 'rules'];

/**
 * Reads forms: files go to the object store as they come, everything else is read as the members of a class. A form
 * knows text only: `metadata`, `metadata_types` and `rules` are JSON in strings, flags are the words true and false, an
 * empty value is no value.
 */
@Injectable()
export class UploadReader {
  constructor(
    private readonly sources: SourceStore,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Hands the form to `use`; files that did not become documents by then are removed when it fails.
   * @throws Invalid for a form without a file and for members that do not fit.
   */
  async read<Fields extends object, T>(
    request: FastifyRequest,
    scope: Scope,
    form: UploadForm<Fields>,
    use: (upload: Upload<Fields>) => Promise<T>,
  ): Promise<T> {
    const files: UploadedFile[] = [];
    try {
      return await use({ files, fields: await this.members(request, scope, form, files) });
    } catch (error) {
      for (const file of files) await this.sources.discard(scope, file);
      throw error;
    }
  }

  /**
   * For forms of one file.
   * @throws PayloadTooLarge when it is over MAX_FILE_MB, Invalid for a name that cannot be stored.
   */
  theFile({ files }: Upload<unknown>): UploadedFile {
    const [file] = files;
    if (file === undefined) throw new Error('a form without a file was accepted');
    this.requireSound(file, ['body', 'file']);
    return file;
  }

  /** @throws PayloadTooLarge when the file is over MAX_FILE_MB, Invalid for a name that cannot be stored. */
  requireSound({ truncated, filename }: UploadedFile, loc: Location): void {
    if (truncated) throw new PayloadTooLarge(`The file is larger than ${this.settings.MAX_FILE_MB} MB`);
    if (filename !== null) requireName(filename, loc);
  }

  private async members<Fields extends object>(
    request: FastifyRequest,
    scope: Scope,
    { fileField, fields, documentId }: UploadForm<Fields>,
    files: UploadedFile[],
  ): Promise<Fields> {
    const members: Record<string, unknown> = {};
    const charsets = new PartCharsets(request.raw);
    try {
      for await (const part of request.parts()) {
        if (part.type === 'file') {
          const charset = charsets.of(part);
          if (part.fieldname === fileField)
            files.push(await this.store(scope, part, charset, documentId ?? newDocumentId()));
          else part.file.resume();
        } else if (typeof part.value === 'string' && part.value !== '') {
          members[part.fieldname] = await memberOf(part.fieldname, part.value);
        }
      }
    } catch (error) {
      if (!(error instanceof Error) || !MALFORMED.test(error.message)) throw error;
      throw new BadRequest('The form is malformed, or ends before its last part', undefined, {
        cause: error,
      });
    }
    if (files.length === 0) throw Invalid.at(['body', fileField], 'Field required', 'missing');
    return readInput(fields, members, ['body'], this.settings);
  }

  private async store(
    scope: Scope,
    part: MultipartFile,
    charset: string | null,
    documentId: string,
  ): Promise<UploadedFile> {
    const mediaType = MEDIA_TYPE.exec(part.mimetype)?.[0].toLowerCase() ?? 'application/octet-stream';
    const declaredType = charset === null ? mediaType : `${mediaType}; charset=${charset.toLowerCase()}`;
    const stored = await this.sources.put(scope, documentId, part.file, declaredType);
    // A part without a name is a file when its type is that of bytes.
    const given = (part.filename as string | undefined)?.split(/[/\\]/).at(-1) ?? '';
    const name = withoutBidiControls(given);
    return {
      ...stored,
      filename: name === '' ? null : name,
      declaredType,
      truncated: part.file.truncated,
    };
  }
}

async function memberOf(name: string, text: string): Promise<unknown> {
  if (JSON_MEMBERS.includes(name)) {
    try {
      return await readJson(text);
    } catch (error) {
      if (error instanceof JsonBoundError) throw Invalid.at(['body', name], `Value error, ${error.message}`);
      throw Invalid.at(['body', name], 'JSON decode error', 'json_invalid');
    }
  }
  if (name === 'use_colpali') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
