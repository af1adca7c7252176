import { useRef, useState } from 'preact/hooks';

interface DropTarget {
  /** Whether files are being dragged over the element. */
  readonly over: boolean;
  readonly handlers: {
    readonly onDragEnter: (event: DragEvent) => void;
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDragLeave: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
}

/** Makes an element a drop target for files and folders. */
export function useDropTarget(
  onFiles: (files: readonly File[]) => void,
  onFolders: (folders: readonly FileSystemDirectoryEntry[]) => void,
): DropTarget {
  const [over, setOver] = useState(false);
  const depth = useRef(0); // child elements fire enter and leave events too
  const change = (step: number): void => {
    depth.current += step;
    setOver(depth.current > 0);
  };
  return {
    over,
    handlers: {
      onDragEnter: (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        change(1);
      },
      onDragOver: (event) => {
        if (hasFiles(event)) event.preventDefault();
      },
      onDragLeave: (event) => {
        if (hasFiles(event)) change(-1);
      },
      onDrop: (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        const { files, folders } = droppedIn(event);
        if (files.length > 0) onFiles(files);
        if (folders.length > 0) onFolders(folders);
      },
    },
  };
}

/** Prevents the browser from replacing the page with a file that is dropped outside of a drop target. */
export function refuseStrayFiles(): void {
  const refuse = (event: DragEvent): void => {
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
  };
  addEventListener('dragover', refuse);
  addEventListener('drop', refuse);
}

function droppedIn({ dataTransfer }: DragEvent): {
  readonly files: readonly File[];
  readonly folders: readonly FileSystemDirectoryEntry[];
} {
  const files: File[] = [];
  const folders: FileSystemDirectoryEntry[] = [];
  for (const item of dataTransfer?.items ?? []) {
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    if (entry?.isDirectory === true) folders.push(entry as FileSystemDirectoryEntry);
    else if (file !== null) files.push(file);
  }
  return { files, folders };
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}
