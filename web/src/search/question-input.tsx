import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useDropTarget } from '../design/drop-target.js';
import { Icon } from '../design/icon.js';
import { imageOf, type QuestionImage } from './retrieval-form.js';
import { t } from '../language/translate.js';

interface QuestionInputProps {
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly image: QuestionImage | null;
  readonly onImage: (image: QuestionImage | null) => void;
  /** Reason why an image cannot be the question; null if it can. */
  readonly imageHindrance?: string | null;
  /** Called with files to ask about; unset: files are refused. */
  readonly onFiles?: (files: readonly File[]) => void;
  /** Reason why the question cannot be sent, shown when the user tries to; null if it can. */
  readonly hindrance?: string | null;
  /** Label of the button, and whether it is busy. */
  readonly action: string;
  readonly running: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
  /** The input takes the focus whenever this value changes. */
  readonly focus: string | null;
}

/**
 * A question in words, or an image dropped on it. Enter sends, Shift+Enter starts a new line. While an answer streams,
 * Enter has no effect and the button stops it.
 */
export function QuestionInput(props: QuestionInputProps): JSX.Element {
  const { label, placeholder, text, onText, image, onImage, action, running, onSend, onStop, focus } = props;
  const { hindrance = null, imageHindrance = null, onFiles } = props;
  const [problem, setProblem] = useState<string | null>(null);
  const [tried, setTried] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const fileChooser = useRef<HTMLInputElement>(null);
  const isRemoved = useRef(false);
  useEffect(() => {
    if (focus !== null) field.current?.focus();
  }, [focus]);
  useEffect(() => {
    // The remove button had the focus and disappeared with the image.
    if (isRemoved.current) field.current?.focus();
    isRemoved.current = false;
  }, [image]);
  const take = async (files: readonly File[]): Promise<void> => {
    const [file] = files;
    if (file === undefined) return;
    if (files.length > 1 || !file.type.startsWith('image/')) {
      setProblem(onFiles === undefined ? t('search.noFiles') : null);
      onFiles?.(files);
      return;
    }
    if (imageHindrance !== null) {
      setProblem(imageHindrance);
      return;
    }
    setProblem(null);
    try {
      onImage(await imageOf(file));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const { over, handlers } = useDropTarget(
    (files) => void take(files),
    () => setProblem(t('search.noFiles')),
  );
  const isEmpty = text.trim() === '' && image === null;
  const send = (event: Event): void => {
    event.preventDefault();
    if (isEmpty || running) return;
    setTried(hindrance !== null);
    if (hindrance === null) onSend();
  };
  // One button for send and stop: replacing it would lose the focus.
  const press = (event: Event): void => {
    event.preventDefault();
    if (running) onStop();
    else send(event);
  };
  const said = tried && hindrance !== null ? hindrance : problem;
  return (
    <form
      class={over ? 'question over' : 'question'}
      role="search"
      aria-label={action}
      onSubmit={press}
      {...handlers}
    >
      {image === null ? (
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label={label}
          placeholder={placeholder}
          value={text}
          onInput={(event) => {
            onText(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event);
          }}
        />
      ) : (
        <div class="question-image">
          <img src={image.uri} alt={t('search.theQuestion', { name: image.name })} />
          <bdi class="name">{image.name}</bdi>
          <button
            type="button"
            class="icon-button"
            aria-label={t('search.removeImage')}
            title={t('search.removeImage')}
            onClick={() => {
              isRemoved.current = true;
              onImage(null);
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
      <div class="question-end">
        {onFiles !== undefined && (
          <>
            <button
              type="button"
              class="icon-button"
              aria-label={t('scope.attach')}
              title={t('scope.attachHint')}
              onClick={() => fileChooser.current?.click()}
            >
              <Icon name="attach" />
            </button>
            <input
              ref={fileChooser}
              type="file"
              multiple
              class="visually-hidden"
              tabIndex={-1}
              aria-label={t('scope.files')}
              onChange={(event) => {
                const files = [...(event.currentTarget.files ?? [])];
                if (files.length > 0) onFiles(files);
                event.currentTarget.value = '';
              }}
            />
          </>
        )}
        {imageHindrance === null && (
          <>
            <button
              type="button"
              class="icon-button"
              aria-label={t('search.withImage')}
              title={t('search.withImageHint')}
              onClick={() => chooser.current?.click()}
            >
              <Icon name="image" />
            </button>
            <input
              ref={chooser}
              type="file"
              accept="image/*"
              class="visually-hidden"
              tabIndex={-1}
              aria-label={t('search.image')}
              onChange={(event) => {
                void take([...(event.currentTarget.files ?? [])]);
                event.currentTarget.value = '';
              }}
            />
          </>
        )}
        <button type="submit" class={running ? '' : 'primary'} disabled={isEmpty && !running}>
          {running ? t('action.stop') : action}
        </button>
      </div>
      {said !== null && (
        <p class="small problem-text" role="alert">
          {said}
        </p>
      )}
    </form>
  );
}
