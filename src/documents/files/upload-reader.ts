import type { MultipartFile } from '@fastify/multipart';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { actingScope } from '../../access/acting-for.js';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { BadRequest, Invalid, PayloadTooLarge, type Location, violation } from '../../errors/index.js';
import { beginForm } from '../../http/idempotency/idempotency.js';
import { readInput, type Type } from '../../http/input/input.pipe.js';
import { namesOf } from '../../http/input/names/known-names.js';
import { judgeForm } from '../../http/input/names/unknown-names.interceptor.js';
import { JsonBoundError, readJson } from '../../json/read-json.js';
import { requireName, withoutBidiControls } from '../document-name.js';
import { PartCharsets } from './part-charsets.js';
import { newDocumentId, SourceStore, type StoredSource } from './source-store.js';

/** An uploaded file in the object store. */
export interface UploadedFile extends StoredSource {
  readonly filename: string | null;
  /** Media type declared by the client, with its `charset`. */
  readonly declaredType: string;
  /** Whether the file exceeded MAX_FILE_MB and was truncated. */
  readonly truncated: boolean;
}

export interface Upload<Fields> {
  /** The scope of the request, which may act for the person and groups that the form names. */
  readonly scope: Scope;
  readonly files: readonly UploadedFile[];
  readonly fields: Fields;
}

interface UploadForm<Fields extends object> {
  readonly fileField: string;
  readonly fields: Type<Fields>;
  /** Document to which the files belong; if undefined, each file becomes a new document. */
  readonly documentId?: string;
}

/** Recognises malformed forms by the messages of the form parser, because its errors have no codes. */
const MALFORMED = /multipart data|^Malformed |boundary/i;

/** A media type without parameters (RFC 9110, section 8.3). */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/;

const JSON_MEMBERS = ['metadata', 'metadata_types', 'rules', 'access_control', 'groups'];

/**
 * Reads forms. Streams files to the object store, and reads the other fields as members of a class. Every form field is
 * text. `metadata`, `metadata_types`, `rules`, `access_control` and `groups` contain JSON, and
 * booleans are `true` or `false`. Empty values are dropped.
 */
@Injectable()
export class UploadReader {
  constructor(
    private readonly sources: SourceStore,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Reads the form and passes it to `use`. If `use` fails, removes the files that have not become documents.
   *
   * @throws Invalid for a form without a file and for invalid fields; Forbidden as for {@link actingScope}.
   */
  async read<Fields extends object, T>(
    request: FastifyRequest,
    scope: Scope,
    form: UploadForm<Fields>,
    use: (upload: Upload<Fields>) => Promise<T>,
  ): Promise<T> {
    const files: UploadedFile[] = [];
    try {
      return await use({ files, ...(await this.members(request, scope, form, files)) });
    } catch (error) {
      for (const file of files) await this.sources.discard(scope, file);
      throw error;
    }
  }

  /**
   * Returns the file of a form with one file.
   *
   * @throws PayloadTooLarge if the file exceeds MAX_FILE_MB, Invalid for a name that cannot be stored, and for a second file.
   */
  theFile({ files }: Upload<unknown>): UploadedFile {
    const [file, second] = files;
    if (file === undefined) throw new Error('a form without a file was accepted');
    if (second !== undefined)
      throw Invalid.at(['body', 'file'], 'Value error, the form has more than one file');
    this.requireValid(file, ['body', 'file']);
    return file;
  }

  /** @throws PayloadTooLarge if the file exceeds MAX_FILE_MB, Invalid for a name that cannot be stored. */
  requireValid({ truncated, filename }: UploadedFile, loc: Location): void {
    if (truncated) throw new PayloadTooLarge(`The file is larger than ${this.settings.MAX_FILE_MB} MB`);
    if (filename !== null) requireName(filename, loc);
  }

  private async members<Fields extends object>(
    request: FastifyRequest,
    scope: Scope,
    { fileField, fields, documentId }: UploadForm<Fields>,
    files: UploadedFile[],
  ): Promise<Omit<Upload<Fields>, 'files'>> {
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
          const { fieldname: name } = part;
          if (Object.hasOwn(members, name)) throw repeated(name);
          members[name] = await memberOf(name, part.value);
        }
      }
    } catch (error) {
      if (!(error instanceof Error) || !MALFORMED.test(error.message)) throw error;
      throw new BadRequest('The form is malformed or incomplete', undefined, {
        cause: error,
      });
    }
    if (files.length === 0) throw violation(['body', fileField], 'isDefined');
    const acting = actingScope(scope, members, ['body']);
    judgeForm(request, members, namesOf(fields));
    request.body = members; // for the audit log
    await beginForm(request, [
      members,
      files.map(({ sha256, filename, declaredType }) => [sha256, filename, declaredType]),
    ]);
    return { scope: acting, fields: readInput(fields, members, ['body'], this.settings) };
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
    // A part without a file name is a file if its type is application/octet-stream.
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

/** Of two values one would be lost. */
function repeated(name: string): Invalid {
  return Invalid.at(['body', name], 'Value error, the form has this field more than once');
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
