/** A page whose effects depend on functions of the hooks. It counts its renders and the functions that it got. */
import { LecternClient } from '@lectern/client';
import { useAnswer, useChat, useDocuments, useFacets, useUpload } from '@lectern/react';
import { createElement, useEffect, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

const lectern = new LecternClient({ url: location.origin, retry: { retries: 0 } });
const functions = new Set<unknown>();
let renders = 0;

function Page(): ReactElement {
  renders += 1;
  const answer = useAnswer(lectern, { filters: { department: 'heating' } });
  const chat = useChat(lectern, { request: { filters: {} } });
  const used = [
    answer,
    chat,
    useDocuments(lectern, {}),
    useFacets(lectern, { fields: [] }),
    useUpload(lectern),
  ];
  for (const hook of used) {
    for (const member of Object.values(hook)) if (typeof member === 'function') functions.add(member);
  }
  const { ask } = answer;
  const { ask: askChat } = chat;
  useEffect(() => void ask('What?'), [ask]);
  useEffect(() => void askChat('What?'), [askChat]);
  const state = { state: answer.state, chat: chat.exchanges[0]?.state, words: answer.text.length };
  return createElement('output', null, JSON.stringify({ ...state, renders, functions: functions.size }));
}

const place = document.getElementById('page');
if (place !== null) createRoot(place).render(createElement(Page));
