import { useId, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { useCall } from '../app/calls.js';
import { ErrorNotice } from './notices.js';

interface ActionDialogProps {
  /** Text of the button that opens the dialog. */
  readonly label: string;
  readonly title: string;
  /** Text of the button that does it. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** Whether the input is complete. */
  readonly isReady?: boolean;
  readonly buttonClass?: string;
  readonly onOpen?: () => void;
  readonly onDo: (signal: AbortSignal) => Promise<unknown>;
  /** Called after success, when the dialog is closed. */
  readonly onDone: () => void;
  readonly children: ComponentChildren;
}

/** A button with a dialog that does one thing, and says why it could not. */
export function ActionDialog(props: ActionDialogProps): JSX.Element {
  const {
    label,
    title,
    verb,
    isDangerous = false,
    isReady = true,
    buttonClass,
    onOpen,
    onDo,
    onDone,
  } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const call = useCall(async (signal) => {
    await onDo(signal);
    return true;
  });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if ((await call.run()) === null) return;
    dialog.current?.close();
    onDone();
  };
  return (
    <>
      <button
        type="button"
        class={buttonClass}
        onClick={() => {
          onOpen?.();
          dialog.current?.showModal();
        }}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={titleId} onClose={call.stop}>
        <form onSubmit={(event) => void submit(event)}>
          <h2 id={titleId}>{title}</h2>
          {props.children}
          <ErrorNotice error={call.error} />
          <div class="row end">
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
            <button
              type="submit"
              class={isDangerous ? 'danger' : 'primary'}
              disabled={call.running || !isReady}
            >
              {call.running ? 'Working…' : verb}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
