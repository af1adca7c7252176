import { useEffect, useState } from 'preact/hooks';
import type { SessionInfo } from '../api/lectern.js';
import { clientWith } from './session.js';

/**
 * Who is signed in in this browser without a key in the page: with a cookie that no script reads, or by a proxy.
 * @param asks whether to ask the service, once
 */
export function useBrowserSession(
  asks: boolean,
): readonly [session: SessionInfo | null, set: (session: SessionInfo | null) => void, isAsking: boolean] {
  const [session, setSession] = useState<SessionInfo | null>(null);
  const [isAsking, setAsking] = useState(asks);
  useEffect(() => {
    if (!isAsking) return;
    const done = (found: SessionInfo | null): void => {
      setSession(found);
      setAsking(false);
    };
    clientWith(null)
      .session.get()
      .then(
        (found) => done(found.signed_in_by === 'nobody' ? null : found),
        () => done(null), // the sign-in form tells that the service cannot be reached
      );
  }, []);
  return [session, setSession, isAsking];
}
