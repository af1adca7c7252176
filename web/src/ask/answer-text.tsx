import type { JSX } from 'preact';
import { hrefOf } from '../app/router.js';
import { citationsOf, type Answer, type Citation } from './answer.js';

/** An answer with its citations as chips that lead to the quote in the source. */
export function AnswerText({ answer }: { readonly answer: Answer }): JSX.Element {
  const citations = [...citationsOf(answer)].sort((one, other) => one.start - other.start);
  const parts: (string | JSX.Element)[] = [];
  let end = 0;
  for (const citation of citations) {
    parts.push(answer.text.slice(end, citation.start), <Chip key={citation.start} citation={citation} />);
    end = citation.end;
  }
  return (
    <div class="answer-text">
      {parts}
      {answer.text.slice(end)}
    </div>
  );
}

function Chip({ citation }: { readonly citation: Citation }): JSX.Element {
  const { document_id: id, chunk_number: chunk, filename, page_number: page, quote } = citation;
  const name = filename ?? id;
  const place = page === null ? '' : `, page ${page}`;
  return (
    <a
      class="chip"
      href={hrefOf('documents', id, { chunk, quote, page })}
      title={quote ?? undefined}
      aria-label={`Source: ${name}${place}`}
    >
      <span class="chip-name">{name}</span>
      {page !== null && <span class="chip-page">p. {page}</span>}
    </a>
  );
}
