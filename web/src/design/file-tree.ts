/** A file, and the folder in which it was dropped or picked. */
export interface PlacedFile {
  readonly file: File;
  /** Names of the folders around the file, with slashes between them; empty: it was dropped or picked by itself. */
  readonly folder: string;
}

/** Places files that were dropped or picked by themselves. */
export function placed(files: readonly File[]): PlacedFile[] {
  return files.map((file) => ({ file, folder: '' }));
}

/** The files of a picked folder, by their paths in it. Leaves out hidden files and folders. */
export function pickedTree(files: readonly File[]): PlacedFile[] {
  return visible(
    files.map((file) => ({ file, folder: file.webkitRelativePath.split('/').slice(0, -1).join('/') })),
  );
}

/**
 * Reads the files of dropped folders, by path. Leaves out hidden files and folders.
 * @throws DOMException if a folder or file cannot be read
 */
export async function droppedTree(folders: readonly FileSystemDirectoryEntry[]): Promise<PlacedFile[]> {
  const all: PlacedFile[] = [];
  for (const folder of folders) all.push(...(await filesIn(folder, folder.name)));
  return visible(all);
}

async function filesIn(entry: FileSystemDirectoryEntry, path: string): Promise<PlacedFile[]> {
  const found: PlacedFile[] = [];
  const reader = entry.createReader();
  for (;;) {
    // A call returns a part of the entries, and no entries at the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (part.length === 0) return found;
    for (const one of part) {
      if (isFolder(one)) found.push(...(await filesIn(one, `${path}/${one.name}`)));
      else found.push({ file: await fileOf(one as FileSystemFileEntry), folder: path });
    }
  }
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

function visible(files: readonly PlacedFile[]): PlacedFile[] {
  const pathOf = ({ file, folder }: PlacedFile): string => `${folder}/${file.name}`;
  return files
    .filter((one) => !/(^|\/)\./.test(pathOf(one)))
    .toSorted((one, other) => (pathOf(one) < pathOf(other) ? -1 : 1));
}
