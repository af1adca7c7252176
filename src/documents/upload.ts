import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.js';
import { Invalid } from '../errors/index.js';
import { readInput } from '../http/input/read-input.js';
import { parseJson } from '../json/exact-json.js';
import { IngestFields } from './ingest.dto.js';

/** A file that came with a form. */
export interface UploadedFile {
  readonly filename: string | null;
  /** The client's word. */
  readonly declaredType: string;
  readonly bytes: Buffer;
}

/** A form with files: `multipart/form-data`. */
export interface Upload {
  readonly files: readonly UploadedFile[];
  readonly fields: IngestFields;
}

const JSON_FIELDS = ['metadata', 'metadata_types', 'rules'];

/**
 * Reads a form: files under `fileField`, everything else as the members of {@link IngestFields}. A form knows text
 * only: `metadata` and `metadata_types` are JSON in strings, flags are the words true and false, an empty value is no
 * value.
 * @throws Invalid for a form without a file and for members that do not fit; PayloadTooLarge from the multipart reader.
 */
export async function readUpload(
  request: FastifyRequest,
  fileField: string,
  settings: Settings,
): Promise<Upload> {
  const files: UploadedFile[] = [];
  const members: Record<string, unknown> = {};
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      const bytes = await part.toBuffer();
      if (part.fieldname === fileField) files.push(uploadedFile(part, bytes));
    } else if (typeof part.value === 'string' && part.value !== '') {
      members[part.fieldname] = memberOf(part.fieldname, part.value);
    }
  }
  if (files.length === 0) throw Invalid.at(['body', fileField], 'Field required', 'missing');
  return { files, fields: readInput(IngestFields, members, ['body'], settings) };
}

function uploadedFile({ filename, mimetype }: MultipartFile, bytes: Buffer): UploadedFile {
  const name = filename.split(/[/\\]/).at(-1) ?? '';
  return { filename: name === '' ? null : name, declaredType: mimetype, bytes };
}

function memberOf(name: string, text: string): unknown {
  if (JSON_FIELDS.includes(name)) {
    try {
      return parseJson(text);
    } catch {
      throw Invalid.at(['body', name], 'JSON decode error', 'json_invalid');
    }
  }
  if (name === 'use_colpali') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
