import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { GroupedChunks, RetrieveChunksRequest } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { useKept } from '../app/kept.js';
import { goTo, hrefOf } from '../app/router.js';
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
  setCount,
  type QuestionImage,
  type RetrievalForm,
} from './retrieval-form.js';
import { OptionsRefused, SearchControls } from './search-controls.js';
import { ScopeDocuments, useScope } from './scope-documents.js';
import { addressOf, searchIn, type AddressedSearch } from './search-address.js';
import { SearchResult } from './search-result.js';
import { rich, t } from '../language/translate.js';

/** How many passages are shown at first, and added by "Show more". */
const STEP = 10;
/** The service's default bound of `k` is 1,000; nobody reads so many. */
const MOST = 100;

interface Answer {
  readonly question: string;
  /** The number of passages that were asked for. */
  readonly asked: number;
  /** The options with which it was asked. */
  readonly form: RetrievalForm;
  readonly found: GroupedChunks;
}

/** Search results for a question. The address of the view keeps question and options. */
export function Search({ params }: { readonly params: URLSearchParams }): JSX.Element {
  const { client } = useSession();
  const [form, setForm] = useKept<RetrievalForm>('search.form', EMPTY_FORM);
  const [text, setText] = useKept('search.text', '');
  const [image, setImage] = useKept<QuestionImage | null>('search.image', null);
  const [answer, setAnswer] = useKept<Answer | null>('search.answer', null);
  const [address, setAddress] = useKept('search.address', '');
  const search = useCall((signal, body: RetrieveChunksRequest) => client.retrieveGrouped(body, { signal }));
  const run = async (wanted: Wanted): Promise<void> => {
    const found = await search.run(requestOf(wanted));
    const question = wanted.image === null ? wanted.question : '';
    if (found !== null) setAnswer({ question, asked: wanted.k, form: wanted.form, found });
  };
  const asked = params.toString();
  useEffect(() => {
    const linked = searchIn(params);
    if (linked === null || asked === address) return;
    setAddress(asked);
    setText(linked.question);
    setForm(linked.form);
    setImage(null);
    void run({ ...linked, image: null, k: countIn(linked.form) });
  }, [asked]);
  const wanted: Wanted = { question: text.trim(), form, image, k: countIn(form) };
  const send = (given = form): void => {
    if (image === null) {
      const href = hrefOf('search', null, addressOf({ ...wanted, form: given }));
      setAddress(href.split('?')[1] ?? '');
      goTo(href);
    }
    void run({ ...wanted, form: given, k: countIn(given) });
  };
  const { placed, rest } = sorted(search.error);
  const scope = useScope(form.documents);
  const hindrance = hindranceOf(form);
  const isReady = (text.trim() !== '' || image !== null) && hindrance === null;
  const focus = params.get('focus');
  return (
    <>
      <h1>{t('view.search')}</h1>
      <QuestionInput
        label={t('search.label')}
        placeholder={t('search.placeholder')}
        text={text}
        onText={setText}
        image={image}
        onImage={setImage}
        hindrance={hindrance}
        action={t('search.search')}
        running={search.running}
        onSend={() => {
          send();
        }}
        onStop={search.stop}
        focus={focus ?? (answer === null ? 'first' : null)}
      />
      <ScopeDocuments
        ids={form.documents}
        scope={scope}
        onChange={(documents) => {
          setForm({ ...form, documents });
        }}
      />
      <SearchControls
        form={form}
        onChange={setForm}
        problems={placed}
        byImage={image !== null}
        passages={STEP}
      />
      <section aria-label={t('search.results')} class="results" aria-busy={search.running}>
        <ErrorNotice
          error={rest}
          {...(hindrance === null && {
            onRetry: () => {
              send();
            },
          })}
        />
        {placed.length > 0 && <OptionsRefused />}
        {search.running && <Busy>{t('search.searching')}</Busy>}
        {!search.running && search.error === null && isReady && isStale(answer, form) && (
          <p class="notice hint" role="status">
            {t('search.stale')}
          </p>
        )}
        {!search.running && search.error === null && (
          <Results
            answer={answer}
            onMore={() => void run({ ...wanted, k: Math.min((answer?.asked ?? 0) + STEP, MOST) })}
            isNarrowed={setCount(form) > 0 || form.folder !== '' || form.documents.length > 0}
            onWiden={() => {
              setForm(EMPTY_FORM);
              send(EMPTY_FORM);
            }}
          />
        )}
        {isReady && <RequestCode title={t('search.this')} requests={[searchRequest(requestOf(wanted))]} />}
      </section>
    </>
  );
}

/** Whether the options have changed since the search. */
function isStale(answer: Answer | null, form: RetrievalForm): boolean {
  return answer !== null && JSON.stringify(answer.form) !== JSON.stringify(form);
}

/** A search with all that its request needs. */
interface Wanted extends AddressedSearch {
  readonly image: QuestionImage | null;
  readonly k: number;
}

function requestOf({ question, form, image, k }: Wanted): RetrieveChunksRequest {
  return { ...retrievalOf(form, question, image), k, explain: true };
}

function countIn({ k }: RetrievalForm): number {
  return k === '' ? STEP : Number(k);
}

interface ResultsProps {
  readonly answer: Answer | null;
  readonly onMore: () => void;
  /** Whether a folder or options narrow the search. */
  readonly isNarrowed: boolean;
  /** Searches again without them. */
  readonly onWiden: () => void;
}

function Results({ answer, onMore, isNarrowed, onWiden }: ResultsProps): JSX.Element {
  if (answer === null) {
    return (
      <EmptyState title={t('search.empty')}>
        {rich('search.emptyHint', { kbd: (parts) => <kbd>{parts}</kbd> })}
      </EmptyState>
    );
  }
  const { question, found, asked } = answer;
  if (found.groups.length === 0 && isNarrowed) {
    return (
      <EmptyState title={t('search.excluded')}>
        <p>{t('search.excludedHint')}</p>
        <button type="button" onClick={onWiden}>
          {t('search.widen')}
        </button>
      </EmptyState>
    );
  }
  if (found.groups.length === 0) {
    return (
      <EmptyState title={t('search.nothing')}>
        {rich('search.nothingHint', { a: (parts) => <a href={hrefOf('documents')}>{parts}</a> })}
      </EmptyState>
    );
  }
  return (
    <>
      <p class="small muted" role="status">
        {question === ''
          ? t('search.count', { count: found.groups.length })
          : t('search.countFor', { count: found.groups.length, question })}
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
      {found.groups.length >= asked && asked < MOST && (
        <button type="button" onClick={onMore}>
          {t('action.showMore')}
        </button>
      )}
    </>
  );
}
