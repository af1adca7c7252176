import type { ComponentChildren, JSX } from 'preact';
import { EmptyState } from '../design/notices.js';
import { useSession } from './session.js';

interface AdminOnlyProps {
  readonly heading: string;
  /** Name of the content, such as `the people`. It ends the sentence "Only administrators see ...". */
  readonly subject: string;
  readonly children: ComponentChildren;
}

/** A view for administrators. For other keys it explains why the content is hidden. */
export function AdminOnly({ heading, subject, children }: AdminOnlyProps): JSX.Element {
  const { holder } = useSession();
  if (holder.can('admin')) return <>{children}</>;
  return (
    <>
      <h1>{heading}</h1>
      <EmptyState title={`Only administrators see ${subject}`}>
        Your key does not have the permission “admin”.
      </EmptyState>
    </>
  );
}
