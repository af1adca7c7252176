import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useCall } from '../app/calls.js';
import { useSession } from '../app/session.js';
import type { ChatOwner } from '../chats/owner.js';
import { Icon } from '../design/icon.js';
import { t } from '../language/translate.js';
import { turnsOf, type ShownTurn } from './turn.js';
import { versionsAt } from './versions-at.js';

/** An earlier version of the turns from an index on. */
interface Viewed {
  readonly index: number;
  /** From 1, the oldest. */
  readonly number: number;
}

export interface Versions {
  /** The turns to show, those of the viewed version among them. */
  readonly shown: readonly ShownTurn[];
  /** null: the latest version is shown. */
  readonly viewed: Viewed | null;
  readonly error: unknown;
  /** Shows a version of the turns from an index on; the one after the last earlier version is the latest. */
  readonly view: (index: number, number: number) => void;
  readonly viewLatest: () => void;
}

/** The replaced turns of a chat that the reader looks at. @param shown the turns of the chat as it is */
export function useVersions(id: string, owner: ChatOwner, shown: readonly ShownTurn[]): Versions {
  const { client } = useSession();
  const [viewed, setViewed] = useState<Viewed | null>(null);
  const loaded = useCall((signal) => client.chats.versions(id, { ...owner, signal }));
  const viewLatest = (): void => {
    setViewed(null);
  };
  useEffect(viewLatest, [id, shown.length]);
  const view = (index: number, number: number): void => {
    const count = shown.find((turn) => turn.index === index)?.earlierVersions ?? 0;
    setViewed(number > count ? null : { index, number });
    if (number <= count && versionsAt(loaded.value ?? [], index).length < count) void loaded.run();
  };
  const version =
    viewed === null ? undefined : versionsAt(loaded.value ?? [], viewed.index)[viewed.number - 1];
  if (viewed === null || version === undefined) {
    return { shown, viewed: null, error: loaded.error, view, viewLatest };
  }
  const place = shown.findIndex(({ index }) => index === viewed.index);
  const earlier = turnsOf(version.messages, []).map((turn, offset) => ({
    ...turn,
    earlierVersions: offset === 0 ? (shown[place]?.earlierVersions ?? 0) : 0,
    index: offset === 0 ? viewed.index : null,
  }));
  return { shown: [...shown.slice(0, place), ...earlier], viewed, error: loaded.error, view, viewLatest };
}

export interface VersionSwitchProps {
  /** From 1. */
  readonly number: number;
  readonly count: number;
  readonly onView: (number: number) => void;
}

/** Arrows between the versions of a question and its answer. */
export function VersionSwitch({ number, count, onView }: VersionSwitchProps): JSX.Element {
  const arrow = (to: number, label: string, icon: 'previous' | 'next'): JSX.Element => (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={to < 1 || to > count}
      onClick={() => {
        onView(to);
      }}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <div class="versions small muted" role="group" aria-label={t('ask.version', { number, count })}>
      {arrow(number - 1, t('ask.versionBefore'), 'previous')}
      <span>{`${number}/${count}`}</span>
      {arrow(number + 1, t('ask.versionAfter'), 'next')}
    </div>
  );
}
