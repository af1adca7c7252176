import type { JSX } from 'preact';
import type { QueryRequest } from '../api/lectern.js';
import { useKept } from '../app/kept.js';
import { hrefOf } from '../app/router.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { OptionsPanel, OptionsRefused } from '../search/options-panel.js';
import { refusesImage, sorted } from '../search/problems.js';
import { QuestionInput } from '../search/question-input.js';
import {
  EMPTY_FORM,
  hindranceOf,
  retrievalOf,
  type QuestionImage,
  type RetrievalForm,
} from '../search/retrieval-form.js';
import { RetrievalOptions } from '../search/retrieval-options.js';
import { AnswerText } from './answer-text.js';
import { queryRequest, type Answer } from './answer.js';
import { WithSource } from '../source/source-pane.js';
import { Sources } from './sources.js';
import { useAnswer } from './use-answer.js';

interface Asked {
  readonly question: string;
  /** Set when the answer is complete. */
  readonly answer: Answer | null;
}

/** Asks a single question and streams the answer with its sources. */
export function Ask(): JSX.Element {
  const [form, setForm] = useKept<RetrievalForm>('ask.form', EMPTY_FORM);
  const [text, setText] = useKept('ask.text', '');
  const [image, setImage] = useKept<QuestionImage | null>('ask.image', null);
  const [asked, setAsked] = useKept<Asked | null>('ask.asked', null);
  const { answer, running, error, ask, stop } = useAnswer();
  const request = { ...retrievalOf(form, text.trim(), image), inline_citations: true } as QueryRequest;
  const run = async (): Promise<void> => {
    const question = image === null ? text.trim() : image.name;
    setAsked({ question, answer: null });
    const whole = await ask(request);
    if (whole !== null) setAsked({ question, answer: whole });
  };
  const { placed, rest } = sorted(error);
  const hindrance = hindranceOf(form);
  const isReady = (text.trim() !== '' || image !== null) && hindrance === null;
  const shown = asked?.answer ?? answer;
  return (
    <WithSource>
      <h1>Ask</h1>
      <QuestionInput
        label="Your question"
        placeholder="What do you want to know?"
        text={text}
        onText={setText}
        image={image}
        onImage={setImage}
        hindrance={hindrance}
        action="Ask"
        running={running}
        onSend={() => void run()}
        onStop={stop}
        focus={asked === null ? 'first' : null}
      />
      <div class="with-options">
        <OptionsPanel needed={placed.length > 0}>
          <RetrievalOptions form={form} onChange={setForm} problems={placed} byImage={image !== null} />
        </OptionsPanel>
        <section aria-label="Answer" class="results" aria-busy={running}>
          <ErrorNotice error={rest} {...(hindrance === null && { onRetry: () => void run() })} />
          {refusesImage(rest) && (
            <p class="muted">
              To find pages by an image, use <a href={hrefOf('search')}>Search</a>; this works with any
              language model.
            </p>
          )}
          {placed.length > 0 && <OptionsRefused />}
          {running && shown.text === '' && <Busy>Looking for passages…</Busy>}
          {shown.text !== '' && (
            <article class="card answer" aria-live="polite" aria-busy={running}>
              {asked !== null && <h2 class="asked">{asked.question}</h2>}
              <AnswerText answer={shown} />
              {running && <span class="caret" aria-hidden="true" />}
              {shown.end !== null && <Ending answer={shown} asked={asked} />}
            </article>
          )}
          {shown.text === '' && !running && error === null && (
            <EmptyState title="Answers come with their sources">
              Each citation leads to the sentence that it rests on. To keep a conversation, use{' '}
              <a href={hrefOf('chats')}>Chats</a>; to see passages alone,{' '}
              <a href={hrefOf('search')}>Search</a>.
            </EmptyState>
          )}
          {isReady && <RequestCode title="This question" requests={[queryRequest(request)]} />}
        </section>
      </div>
    </WithSource>
  );
}

function Ending({
  answer,
  asked,
}: {
  readonly answer: Answer;
  readonly asked: Asked | null;
}): JSX.Element | null {
  const { end } = answer;
  if (end === null) return null;
  const { model, isCut } = end;
  return (
    <>
      {asked !== null && <Sources sources={end.sources} question={asked.question} />}
      <p class="small muted">
        {model === 'extractive'
          ? 'The best passages, quoted without a language model (LLM_MODEL=extractive).'
          : `Answered by ${model ?? 'the model'}.`}
        {isCut === true ? ' The answer was truncated at its maximum length.' : ''}
      </p>
    </>
  );
}
