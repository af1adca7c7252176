import { useRef, useState } from 'preact/hooks';

interface DropTarget {
  /** Whether files are being held over it. */
  readonly over: boolean;
  readonly handlers: {
    readonly onDragEnter: (event: DragEvent) => void;
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDragLeave: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
}

/** An element that files can be dropped on. */
export function useDropTarget(onFiles: (files: readonly File[]) => void): DropTarget {
  const [over, setOver] = useState(false);
  const depth = useRef(0); // elements within it are entered and left too
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
        onFiles([...(event.dataTransfer?.files ?? [])]);
      },
    },
  };
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}
