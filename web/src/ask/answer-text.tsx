import { createElement } from 'preact';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { useRoute } from '../app/router.js';
import { useSession } from '../app/session.js';
import { askAhead } from '../source/source-data.js';
import { sourceHref } from '../source/place.js';
import type { Citation } from '../api/lectern.js';
import type { Answer } from './answer.js';
import { answerTree, type AnswerNode } from './answer-tree.js';
import { Code } from './code.js';
import { Formula } from './formula.js';
import { t } from '../language/translate.js';

/** An answer in Markdown, with citations as chips that link to the quote in the source. */
export function AnswerText({ answer }: { readonly answer: Answer }): JSX.Element {
  const { text, end } = answer;
  const nodes = useMemo(() => answerTree(text, end?.citations ?? []), [text, end]);
  return (
    <div class="answer-text">
      <Nodes nodes={nodes} />
    </div>
  );
}

/** Renders Markdown for a place below a title. */
export function Nodes({ nodes }: { readonly nodes: readonly AnswerNode[] }): JSX.Element {
  return <>{nodes.map((node) => shown(node, 'auto'))}</>;
}

/**
 * @param dir direction of the element. A block of the answer has its own one; what is inside has that of the block: a list
 *   or table whose parts had their own could not take theirs from these parts.
 */
function shown(node: AnswerNode, dir?: 'auto'): JSX.Element | string {
  if (typeof node === 'string') return node;
  if ('citation' in node) return <Chip citation={node.citation} />;
  if ('formula' in node) return <Formula tex={node.formula} isBlock={node.isBlock} />;
  const { tag, attributes } = node;
  const children = node.children.map((child) => shown(child));
  switch (tag) {
    case 'a':
      return (
        <a {...attributes} target="_blank" rel="noopener noreferrer">
          {children}
        </a>
      );
    case 'pre':
      return <CodeBlock nodes={node.children} />;
    case 'table':
      return (
        <div class="answer-table" tabIndex={0} role="group" aria-label={t('ask.table')}>
          <table dir={dir}>{children}</table>
        </div>
      );
    default:
      return createElement(
        belowTitle(tag),
        { ...attributes, ...(dir === undefined ? {} : { dir }) },
        children,
      );
  }
}

/** A code block: the node of its code, which has the language of the fence. */
function CodeBlock({ nodes }: { readonly nodes: readonly AnswerNode[] }): JSX.Element {
  const [code] = nodes;
  const { children, attributes } =
    typeof code === 'object' && 'tag' in code
      ? code
      : { children: nodes, attributes: {} as Record<string, string> };
  const isText = children.every((node) => typeof node === 'string');
  return (
    <Code language={String(attributes['language'] ?? '')} text={isText ? children.join('') : null}>
      {children.map((child) => shown(child))}
    </Code>
  );
}

/** Shifts headings below the title of the card. */
function belowTitle(tag: string): string {
  const level = /^h(\d)$/.exec(tag)?.[1];
  return level === undefined ? tag : `h${Math.min(6, Number(level) + 2)}`;
}

/** Time that the pointer must rest on a citation before its page is requested in advance. */
const REST_MS = 120;

function Chip({ citation }: { readonly citation: Citation }): JSX.Element {
  const { document_id: id, chunk_number: chunk, filename, page_number: page, quote } = citation;
  const session = useSession();
  const source = { id, chunk, page, quote };
  const href = sourceHref(useRoute(), source);
  const name = filename ?? id;

  const resting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const draw = (): void => {
    clearTimeout(resting.current);
    if (session.holder.can('read')) void askAhead(session, source, filename);
  };
  return (
    <a
      class="chip"
      href={href}
      title={quote ?? undefined}
      aria-label={page === null ? t('ask.source', { name }) : t('ask.sourceOnPage', { name, page })}
      aria-current={location.hash === href ? 'true' : undefined}
      onFocus={draw}
      onPointerDown={draw}
      onClick={draw}
      onPointerEnter={() => {
        resting.current = setTimeout(draw, REST_MS);
      }}
      onPointerLeave={() => {
        clearTimeout(resting.current);
      }}
    >
      <bdi class="chip-name">{name}</bdi>{' '}
      {page !== null && <span class="chip-page">{t('place.pageShort', { page })}</span>}
    </a>
  );
}
