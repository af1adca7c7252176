import type { LecternClient } from '@lectern/client';
import {
  AnswerStore,
  ChatStore,
  DocumentListStore,
  FacetStore,
  SourceStore,
  UploadStore,
  type AnswerRequest,
  type DocumentListOptions,
  type FacetsOptions,
  type ShownAnswer,
  type ShownChat,
  type ShownDocumentList,
  type ShownFacets,
  type ShownSource,
  type ShownUploads,
  type SourcePlace,
} from '@lectern/client/ui';
import { onScopeDispose, toValue, watch, type MaybeRefOrGetter, type ShallowRef } from 'vue';
import { useStore } from './use-store.js';

/** The state of a composable: `.value` in scripts, itself in templates. */
type Shown<State extends object> = Readonly<ShallowRef<State>>;

/** Asks questions one at a time and streams the answers. The end of the scope stops the running answer. */
export function useAnswer(
  client: LecternClient,
  request: MaybeRefOrGetter<AnswerRequest> = {},
): Pick<AnswerStore, 'ask' | 'stop' | 'retry'> & { readonly answer: Shown<ShownAnswer> } {
  const store = new AnswerStore(client, toValue(request));
  configured(request, (value) => {
    store.configure(client, value);
  });
  onScopeDispose(store.stop);
  const { ask, stop, retry } = store;
  return { answer: useStore(store), ask, stop, retry };
}

/**
 * A chat. The end of the scope leaves the running answer, which goes on at the service.
 *
 * @param options `chatId` names a chat to continue; without one a new chat begins
 */
export function useChat(
  client: LecternClient,
  options: MaybeRefOrGetter<{ readonly chatId?: string | undefined; readonly request?: AnswerRequest }> = {},
): Pick<ChatStore, 'ask' | 'stop' | 'retry' | 'edit' | 'versions' | 'load'> & {
  readonly chat: Shown<ShownChat>;
} {
  const { chatId, request } = toValue(options);
  const store = new ChatStore(client, request, chatId);
  configured(options, ({ chatId: id, request: value = {} }) => {
    store.configure(client, value);
    store.open(id);
  });
  store.open(chatId);
  onScopeDispose(store.close);
  const { ask, stop, retry, edit, versions, load } = store;
  return { chat: useStore(store), ask, stop, retry, edit, versions, load };
}

/** The newest documents, which follow what happens to them. */
export function useDocuments(
  client: LecternClient,
  options: MaybeRefOrGetter<DocumentListOptions> = {},
): Pick<DocumentListStore, 'more' | 'reload' | 'remove'> & { readonly list: Shown<ShownDocumentList> } {
  const store = opened(new DocumentListStore(client, toValue(options)), client, options);
  const { more, reload, remove } = store;
  return { list: useStore(store), more, reload, remove };
}

/** The choices of a filter, with counts. */
export function useFacets(
  client: LecternClient,
  options: MaybeRefOrGetter<FacetsOptions> = {},
): Pick<FacetStore, 'toggle' | 'clear' | 'reload'> & { readonly facets: Shown<ShownFacets> } {
  const store = opened(new FacetStore(client, toValue(options)), client, options);
  const { toggle, clear, reload } = store;
  return { facets: useStore(store), toggle, clear, reload };
}

/** Uploads of files. The end of the scope stops those that are not sent yet. */
export function useUpload(
  client: LecternClient,
): Pick<UploadStore, 'add' | 'cancel' | 'retry' | 'clear'> & { readonly uploads: Shown<ShownUploads> } {
  const store = new UploadStore(client);
  onScopeDispose(store.close);
  const { add, cancel, retry, clear } = store;
  return { uploads: useStore(store), add, cancel, retry, clear };
}

/** The page of a source with its marks, or the text where there is no page. @param place null: none */
export function useSource(
  client: LecternClient,
  place: MaybeRefOrGetter<SourcePlace | null>,
): Shown<ShownSource> {
  const store = new SourceStore();
  watch(
    () => toValue(place),
    (value) => {
      if (value === null) store.close();
      else void store.show(client, value);
    },
    { immediate: true },
  );
  onScopeDispose(store.close);
  return useStore(store);
}

/** Calls `configure` after each change of the options, also deep in a reactive object. */
function configured<Options extends object>(
  options: MaybeRefOrGetter<Options>,
  configure: (value: Options) => void,
): void {
  watch(() => toValue(options), configure, { deep: true, flush: 'sync' });
}

/** Opens a store until the scope ends, and configures it with what the options become. */
function opened<
  Opened extends Pick<FacetStore, 'open' | 'close'> & {
    configure(client: LecternClient, value: Options): void;
  },
  Options extends object,
>(store: Opened, client: LecternClient, options: MaybeRefOrGetter<Options>): Opened {
  configured(options, (value) => {
    store.configure(client, value);
  });
  store.open();
  onScopeDispose(store.close);
  return store;
}
