import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { useCall } from '../app/calls.js';
import { ErrorNotice } from './notices.js';
import { rich, t } from '../language/translate.js';

interface ActionDialogProps {
  /** Text of the button that opens the dialog. */
  readonly label: string;
  /** Name of this button where several have the same text. */
  readonly ariaLabel?: string;
  readonly title: string;
  /** Text of the button that starts the action. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly isReady?: boolean;
  /**
   * Text that the user must type to enable the button, because the action cannot be undone. null: the button is enabled
   * without such a text.
   */
  readonly toType?: string | null;
  readonly buttonClass?: string;
  readonly onOpen?: () => void;
  /** The action. @param tell shows its progress */
  readonly onDo: (signal: AbortSignal, tell: (progress: string) => void) => Promise<unknown>;
  /** Called after success, when the dialog is closed. */
  readonly onDone: () => void;
  /** Called when the dialog is closed after the action failed or was stopped. Part of the action may have been done. */
  readonly onStopped?: () => void;
  readonly children: ComponentChildren;
}

/** A button that opens a dialog for one action. If the action fails, the dialog shows why. */
export function ActionDialog(props: ActionDialogProps): JSX.Element {
  const {
    label,
    ariaLabel,
    title,
    verb,
    isDangerous = false,
    isReady = true,
    toType = null,
    buttonClass,
    onOpen,
    onDo,
    onDone,
    onStopped,
  } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [progress, setProgress] = useState('');
  const [typed, setTyped] = useState('');
  // A list has a dialog in each row: what is in it is made when it opens.
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const mayDo = isReady && (toType === null || isSame(typed, toType));
  const isPartial = useRef(false);
  const call = useCall(async (signal) => {
    await onDo(signal, setProgress);
    return true;
  });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!mayDo) return;
    setProgress('');
    isPartial.current = true;
    if ((await call.run()) === null) return;
    isPartial.current = false;
    dialog.current?.close();
    onDone();
  };
  const close = (): void => {
    call.stop();
    if (isPartial.current) onStopped?.();
    isPartial.current = false;
    setOpen(false);
  };
  return (
    <>
      <button
        type="button"
        class={buttonClass}
        aria-label={ariaLabel}
        onClick={() => {
          setTyped('');
          onOpen?.();
          setOpen(true);
        }}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={titleId} onClose={close}>
        {isOpen && (
          <form onSubmit={(event) => void submit(event)}>
            <h2 id={titleId}>{title}</h2>
            {props.children}
            {toType !== null && (
              <label>
                <span>
                  {rich('action.confirm', { text: toType, b: (parts) => <strong>{parts}</strong> })}
                </span>
                <input
                  required
                  dir="auto"
                  autocomplete="off"
                  autocapitalize="off"
                  spellcheck={false}
                  value={typed}
                  onInput={(event) => {
                    setTyped(event.currentTarget.value);
                  }}
                />
              </label>
            )}
            <p class="small muted" role="status">
              {call.running && progress}
            </p>
            <ErrorNotice error={call.error} />
            <div class="row end">
              <button type="button" onClick={() => dialog.current?.close()}>
                {call.running && progress !== '' ? t('action.stop') : t('action.cancel')}
              </button>
              <button
                type="submit"
                class={isDangerous ? 'danger' : 'primary'}
                disabled={call.running || !mayDo}
              >
                {call.running ? t('action.working') : verb}
              </button>
            </div>
          </form>
        )}
      </dialog>
    </>
  );
}

/** Whether the typed text equals the required text. `2475` matches `2,475` and `2.475`. */
function isSame(typed: string, wanted: string): boolean {
  const [one, other] = [typed, wanted].map((text) => {
    const isNumber = /^[\d\s.,'’]+$/.test(text);
    return isNumber ? text.replaceAll(/\D/g, '') : text.trim();
  });
  return one === other;
}
