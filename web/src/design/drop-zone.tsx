import { useRef, useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { useDropTarget } from './drop-target.js';
import { Icon, type IconName } from './icon.js';

interface DropZoneProps {
  readonly icon: IconName;
  /** Name of the files in the text "Drop ... here". */
  readonly what: string;
  /** Label of the visually hidden file input. */
  readonly label: string;
  /** Accepted file types; unset: all. */
  readonly accept?: string;
  readonly onFiles: (files: readonly File[]) => void;
  /** Additional information about the files. */
  readonly children: ComponentChildren;
}

/** A field to drop files on, with a button to choose files. */
export function DropZone({ icon, what, label, accept, onFiles, children }: DropZoneProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const take = (files: readonly File[]): void => {
    setProblem(null);
    onFiles(files);
  };
  const { over, handlers } = useDropTarget(take, (folders) => {
    const names = folders.map(({ name }) => `“${name}”`).join(', ');
    setProblem(`Folders cannot be dropped here: ${names}. Drop their files instead.`);
  });
  return (
    <div class={over ? 'drop-zone over' : 'drop-zone'} {...handlers}>
      <Icon name={icon} />
      <p>
        <strong>Drop {what} here</strong>
        <span class="muted"> or </span>
        <button type="button" class="link" onClick={() => input.current?.click()}>
          choose them
        </button>
      </p>
      <p class="muted small">{children}</p>
      {problem !== null && (
        <p class="small problem-text" role="alert">
          {problem}
        </p>
      )}
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple
        class="visually-hidden"
        tabIndex={-1}
        aria-label={label}
        onChange={(event) => {
          take([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
