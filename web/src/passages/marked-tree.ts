import type { AnswerNode } from '../ask/answer-tree.js';
import { wordsOf } from './marks.js';

/** Rendered Markdown with the words of a question highlighted. */
export function markedTree(nodes: readonly AnswerNode[], question: string): AnswerNode[] {
  return nodes.flatMap((node): AnswerNode[] => {
    if (typeof node === 'string') return markedLeaf(node, question);
    return 'tag' in node ? [{ ...node, children: markedTree(node.children, question) }] : [node];
  });
}

function markedLeaf(text: string, question: string): AnswerNode[] {
  const parts: AnswerNode[] = [];
  let end = 0;
  for (const span of wordsOf(text, question)) {
    const word = { tag: 'mark', attributes: {}, children: [text.slice(span.start, span.end)] };
    parts.push(text.slice(end, span.start), word);
    end = span.end;
  }
  return [...parts, text.slice(end)].filter((part) => part !== '');
}
