import type { JSX } from 'preact';
import { goTo, hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { useNextChat } from '../ask/next-chat.js';
import { t } from '../language/translate.js';
import { EMPTY_FORM } from '../search/retrieval-form.js';

/** Begins a chat whose questions search only this document. */
export function AskDocument({ id }: { readonly id: string }): JSX.Element {
  const { kept } = useSession();
  const [next] = useNextChat();
  return (
    <button
      type="button"
      onClick={() => {
        kept.set(`chat ${next} form`, { ...EMPTY_FORM, documents: [id] });
        goTo(hrefOf('ask'));
      }}
    >
      {t('scope.askThis')}
    </button>
  );
}
