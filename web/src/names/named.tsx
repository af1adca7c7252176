import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useSession } from '../app/session.js';
import { userPrincipal } from './principal.js';

/** Returns a function for the names of principals, which are loaded together. */
export function useNames(principals: readonly string[]): (principal: string) => string {
  const { names } = useSession();
  const [, setChanges] = useState(0);
  useEffect(
    () =>
      names.follow(() => {
        setChanges((before) => before + 1);
      }),
    [names],
  );
  useEffect(() => {
    names.want(principals);
  }, [principals.join(' ')]);
  return (principal) => names.of(principal);
}

/** Returns the name of a person; null: of nobody. */
export function usePersonName(id: string | null): string | null {
  const nameOf = useNames(id === null ? [] : [userPrincipal(id)]);
  return id === null ? null : nameOf(userPrincipal(id));
}

/** The name of a person. */
export function PersonName({ id }: { readonly id: string }): JSX.Element {
  return <bdi>{usePersonName(id)}</bdi>;
}
