import type { JSX } from 'preact';
import { hrefOf, goTo } from '../app/router.js';
import { useSession } from '../app/session.js';
import { formOf } from '../search/retrieval-form.js';
import { useNextChat } from './next-chat.js';
import { t } from '../language/translate.js';

interface DraftForProps {
  readonly question: string;
  /** Search options of the chat that contains the question. */
  readonly search: Readonly<Record<string, unknown>>;
}

/**
 * Button below a chat that the reader cannot continue, because it belongs to another person. The button copies the last
 * question to a new chat.
 */
export function DraftFor({ question, search }: DraftForProps): JSX.Element {
  const { kept } = useSession();
  const [next] = useNextChat();
  return (
    <p class="composer row">
      <button
        type="button"
        class="primary"
        onClick={() => {
          kept.set(`chat ${next} text`, question);
          kept.set(`chat ${next} form`, formOf(search));
          goTo(hrefOf('ask'));
        }}
      >
        {t('ask.draft')}
      </button>
    </p>
  );
}
