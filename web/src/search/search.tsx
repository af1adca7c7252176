import type { JSX } from 'preact';
import type { GroupedChunks, RetrieveChunksRequest } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { RequestCode } from '../requests/request-code.js';
import { searchRequest } from './describe.js';
import { sorted } from './problems.js';
import { QuestionInput } from './question-input.js';
import {
  EMPTY_FORM,
  hindranceOf,
  retrievalOf,
  type QuestionImage,
  type RetrievalForm,
} from './retrieval-form.js';
import { OptionsRefused, SearchControls } from './search-controls.js';
import { SearchResult } from './search-result.js';

interface Answer {
  readonly question: string;
  readonly found: GroupedChunks;
}

/** Search results for a question, with their score components. @param focus see QuestionInput */
export function Search({ focus }: { readonly focus: string | null }): JSX.Element {
  const { client } = useSession();
  const [form, setForm] = useKept<RetrievalForm>('search.form', EMPTY_FORM);
  const [text, setText] = useKept('search.text', '');
  const [image, setImage] = useKept<QuestionImage | null>('search.image', null);
  const [answer, setAnswer] = useKept<Answer | null>('search.answer', null);
  const request = { ...retrievalOf(form, text.trim(), image), explain: true } as RetrieveChunksRequest;
  const search = useCall((signal) => client.retrieveGrouped(request, { signal }));
  const run = async (): Promise<void> => {
    const found = await search.run();
    if (found !== null) setAnswer({ question: image === null ? text.trim() : '', found });
  };
  const { placed, rest } = sorted(search.error);
  const hindrance = hindranceOf(form);
  const isReady = (text.trim() !== '' || image !== null) && hindrance === null;
  return (
    <>
      <h1>Search</h1>
      <QuestionInput
        label="What to search for"
        placeholder="What are you looking for?"
        text={text}
        onText={setText}
        image={image}
        onImage={setImage}
        hindrance={hindrance}
        action="Search"
        running={search.running}
        onSend={() => void run()}
        onStop={search.stop}
        focus={focus ?? (answer === null ? 'first' : null)}
      />
      <SearchControls form={form} onChange={setForm} problems={placed} byImage={image !== null} />
      <section aria-label="Results" class="results" aria-busy={search.running}>
        <ErrorNotice error={rest} {...(hindrance === null && { onRetry: () => void run() })} />
        {placed.length > 0 && <OptionsRefused />}
        {search.running && <Busy>Searching…</Busy>}
        {!search.running && search.error === null && <Results answer={answer} />}
        {isReady && <RequestCode title="This search" requests={[searchRequest(request)]} />}
      </section>
    </>
  );
}

function Results({ answer }: { readonly answer: Answer | null }): JSX.Element {
  if (answer === null) {
    return (
      <EmptyState title="Search in your own words">
        You get the best passages with their scores. Press <kbd>/</kbd> in any view to come here. Drop an
        image on the field to find pages like it.
      </EmptyState>
    );
  }
  const { question, found } = answer;
  if (found.groups.length === 0) {
    return (
      <EmptyState title="Nothing was found">
        Either no document is ready yet (see <a href={hrefOf('documents')}>Documents</a>), or the filter, the
        folder or the minimum score excludes all passages.
      </EmptyState>
    );
  }
  return (
    <>
      <p class="small muted" role="status">
        {found.groups.length} {found.groups.length === 1 ? 'result' : 'results'}
        {question === '' ? '' : ` for “${question}”`}
      </p>
      <ol class="plain result-list">
        {found.groups.map((group, index) => (
          <SearchResult
            key={`${group.main_chunk.document_id} ${group.main_chunk.chunk_number} ${group.main_chunk.content_type}`}
            group={group}
            rank={index + 1}
            question={question}
          />
        ))}
      </ol>
    </>
  );
}
