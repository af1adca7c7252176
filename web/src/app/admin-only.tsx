import type { ComponentChildren, JSX } from 'preact';
import { EmptyState } from '../design/notices.js';
import { useSession } from './session.js';

interface AdminOnlyProps {
  readonly heading: string;
  /** What only administrators see, such as `the people`. */
  readonly subject: string;
  readonly children: ComponentChildren;
}

/** A view for administrators; others read why they do not see it. */
export function AdminOnly({ heading, subject, children }: AdminOnlyProps): JSX.Element {
  const { holder } = useSession();
  if (holder.can('admin')) return <>{children}</>;
  return (
    <>
      <h1>{heading}</h1>
      <EmptyState title={`Only administrators see ${subject}`}>Your key has other permissions.</EmptyState>
    </>
  );
}
