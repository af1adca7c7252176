import type { ComponentChildren, JSX } from 'preact';
import { EmptyState } from '../design/notices.js';
import { useSession } from './session.js';
import { t } from '../language/translate.js';

interface AdminOnlyProps {
  readonly heading: string;
  /** Says that only administrators see the content. */
  readonly refusal: string;
  readonly children: ComponentChildren;
}

/** A view for administrators. For other keys it explains why the content is hidden. */
export function AdminOnly({ heading, refusal, children }: AdminOnlyProps): JSX.Element {
  const { holder } = useSession();
  if (holder.can('admin')) return <>{children}</>;
  return (
    <>
      <h1>{heading}</h1>
      <EmptyState title={refusal}>{t('app.noAdmin')}</EmptyState>
    </>
  );
}
