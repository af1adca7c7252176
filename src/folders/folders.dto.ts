import type { FolderName } from '../corpus/folder.repository.js';
import { Invalid } from '../errors/index.js';
import { Together } from '../http/input/constraints.js';
import { Examples } from '../http/input/examples.js';
import { FlagField, FlagInText, TextField } from '../http/input/fields.js';
import { folderName, ownPath } from './folder-name.js';
import type { WantedFolder } from './folder.service.js';

/** Path of what concerns one folder. */
export class FolderParameter {
  @TextField({
    required: true,
    parse: folderName,
    description:
      'Identifier of the folder, or its path without the leading slash; slashes may be as they are or %-encoded.',
    example: 'manuals',
  })
  folder: FolderName;
}

/** Path of what concerns a document and a folder. */
export class FolderDocumentParameters extends FolderParameter {
  @TextField({
    required: true,
    description: 'Identifier of the document, as POST /documents lists it.',
  })
  document_id: string;
}

/** Body of POST /folders. */
@Examples({
  'By its name': { name: 'manuals', description: 'Everything about engines' },
  'With its ancestors': { name: 'engines', full_path: '/manuals/engines' },
})
@Together<CreateFolderRequest>(['name', 'full_path'], ({ name, full_path }) => {
  if (typeof full_path !== 'string' || full_path.endsWith(name)) return;
  throw Invalid.at(['name'], 'a name expects to be the end of full_path, got another one');
})
export class CreateFolderRequest {
  @TextField({
    required: true,
    parse: ownPath,
    description: 'Name of the folder: the last segment of its path. Slashes in it make ancestors.',
    example: 'engines',
  })
  name: string;

  @TextField({
    nullable: true,
    parse: ownPath,
    description: 'Its whole path. Unset: the name, below the parent when one is given.',
    example: '/manuals/engines',
  })
  full_path: string | null = null;

  @TextField({
    nullable: true,
    parse: folderName,
    description:
      'The folder that it lies in: identifier or path. Beside full_path it has to be that of the path.',
    example: null,
  })
  parent_id: FolderName | null = null;

  @TextField({
    nullable: true,
    maxLength: 10_000,
    description: 'What the folder is for. An existing folder keeps the one that it has.',
    example: 'Everything about engines',
  })
  description: string | null = null;
}

export function wantedFolderOf(body: CreateFolderRequest): WantedFolder {
  const { name, full_path: path, parent_id: parent, description } = body;
  return { name, path, parent, description };
}

/** Body of a move. */
@Examples({ 'Another place': { new_path: '/archive/manuals' } })
export class MoveFolderRequest {
  @TextField({
    required: true,
    parse: ownPath,
    description: 'The path that the folder is to have: another place, another name or both.',
    example: '/archive/engines',
  })
  new_path: string;
}

/** Query string of a deletion. */
export class DeleteFolderQuery {
  @FlagInText()
  @FlagField({
    description: 'Whether the folders below go as well; without it a folder that has some stays (409).',
  })
  recursive = false;
}
