import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useDropTarget } from '../design/drop-target.js';
import { Icon } from '../design/icon.js';
import { imageOf, type QuestionImage } from './retrieval-form.js';

interface QuestionInputProps {
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly image: QuestionImage | null;
  /** Unset where an image cannot ask. */
  readonly onImage?: (image: QuestionImage | null) => void;
  /** What sends it: its words, and whether it is at work. */
  readonly action: string;
  readonly running: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
  /** Takes the focus whenever this changes to another value. */
  readonly focus: string | null;
}

/** A question in words, or an image that is dropped on it. Enter sends, Shift and Enter begin a new line. */
export function QuestionInput(props: QuestionInputProps): JSX.Element {
  const { label, placeholder, text, onText, image, onImage, action, running, onSend, onStop, focus } = props;
  const [problem, setProblem] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus !== null) field.current?.focus();
  }, [focus]);
  const take = async ([file]: readonly File[]): Promise<void> => {
    if (file === undefined || onImage === undefined) return;
    if (!file.type.startsWith('image/')) {
      setProblem('Only an image can be a question. Documents are added in the view “Documents”.');
      return;
    }
    setProblem(null);
    try {
      onImage(await imageOf(file));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const { over, handlers } = useDropTarget((files) => void take(files));
  const isEmpty = text.trim() === '' && image === null;
  const send = (event: Event): void => {
    event.preventDefault();
    if (!isEmpty) onSend();
  };
  return (
    <form
      class={over ? 'question over' : 'question'}
      role="search"
      aria-label={action}
      onSubmit={send}
      {...handlers}
    >
      {image === null ? (
        <textarea
          ref={field}
          rows={1}
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
          <img src={image.uri} alt={`The question: ${image.name}`} />
          <span class="name">{image.name}</span>
          <button
            type="button"
            class="icon-button"
            aria-label="Remove the image"
            title="Remove the image"
            onClick={() => {
              onImage?.(null);
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
      <div class="question-end">
        {onImage !== undefined && (
          <>
            <button
              type="button"
              class="icon-button"
              aria-label="Ask with an image"
              title="Ask with an image: drop it here, or choose it"
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
              aria-label="Image that asks"
              onChange={(event) => {
                void take([...(event.currentTarget.files ?? [])]);
                event.currentTarget.value = '';
              }}
            />
          </>
        )}
        {running ? (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="primary" disabled={isEmpty}>
            {action}
          </button>
        )}
      </div>
      {problem !== null && (
        <p class="small problem-text" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
