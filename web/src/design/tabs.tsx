import type { ComponentChildren, JSX } from 'preact';

interface TabsProps<Name extends string> {
  /** Label for screen readers. */
  readonly label: string;
  /** Prefix of element ids. */
  readonly id: string;
  readonly tabs: readonly { readonly name: Name; readonly label: string }[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  readonly children: ComponentChildren;
}

/**
 * Tabs as in the ARIA Authoring Practices: arrow keys switch between the tabs, and only one tab is in the tab order.
 */
export function Tabs<Name extends string>({
  label,
  id,
  tabs,
  chosen,
  onChoose,
  children,
}: TabsProps<Name>): JSX.Element {
  const idOf = (name: Name): string => `${id}-${name}`;
  const move = (event: KeyboardEvent): void => {
    const pressed = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (pressed === undefined) return;
    const step = document.documentElement.dir === 'rtl' ? -pressed : pressed;
    event.preventDefault();
    const index = tabs.findIndex(({ name }) => name === chosen);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.name);
    document.getElementById(idOf(next.name))?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={idOf(name)}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => {
              onChoose(name);
            }}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={idOf(chosen)}>
        {children}
      </div>
    </div>
  );
}
