import type { JSX } from 'preact';
import { hrefOf, goTo } from '../app/router.js';
import { useSession } from '../app/session.js';
import { formOf } from '../search/retrieval-form.js';
import { useNextChat } from './next-chat.js';

interface DraftForProps {
  readonly question: string;
  /** Search options of the chat that it comes from. */
  readonly search: Readonly<Record<string, unknown>>;
}

/** Below a chat of somebody else, which nobody else can continue: takes its last question into a new chat. */
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
        Ask this in a chat of my own
      </button>
    </p>
  );
}
