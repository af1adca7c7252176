import type { JSX } from 'preact';

/** Paths on a 24 x 24 grid. */
const PATHS = {
  lectern: 'M3 6c3-1.200 6-1.200 9 .8 3-2 6-2 9-.8v12c-3-1.200-6-1.200-9 .8-3-2-6-2-9-.8zM12 6.800v12',
  document: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  ask: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .8-1 1.700M12 16.800v.2',
  chats: 'M4 5h16v11H10l-4 4v-4H4zM8 9h8M8 12h5',
  chart: 'M4 20V4M4 20h16M8 16v-5M12 16V7M16 16v-3',
  contrast: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 3v18M12 7h5M12 11h8.500M12 15h7.500',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  leave: 'M10 4H5v16h5M9 12h11M16 8l4 4-4 4',
  upload: 'M12 16V4M7 9l5-5 5 5M4 16v4h16v-4',
  folder: 'M3 6h6l2 2h10v11H3z',
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M12 5v14M6 13l6 6 6-6',
  attach:
    'M19.500 11.500l-8 8a4.600 4.600 0 0 1-6.500-6.500l8.500-8.500a3 3 0 0 1 4.300 4.300L9.500 17a1.500 1.500 0 0 1-2.100-2.100l7.600-7.600',
  back: 'M19 12H5M11 6l-6 6 6 6',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9h.01',
  people:
    'M9 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM2.500 20c.5-3.500 3-5.500 6.500-5.500s6 2 6.500 5.500M16 4.500a3.700 3.700 0 0 1 0 7M17.500 14.800c2.200.7 3.600 2.500 4 5.200',
  settings:
    'M4 7h9M19 7h1M4 17h3M13 17h7M16 4.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zM10 14.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z',
  language:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3.500 9.500h17M3.500 14.500h17M12 3c-5 5.500-5 12.500 0 18M12 3c5 5.500 5 12.500 0 18',
  previous: 'M14.500 5l-7 7 7 7',
  next: 'M9.500 5l7 7-7 7',
  minus: 'M5 12h14',
  plus: 'M12 5v14M5 12h14',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13.500 6.500l4 4',
  thumbUp:
    'M7 11v9H4v-9zM7 11l4-7.500c1.500 0 2.300 1 2 2.500L12.500 9H19a1.500 1.500 0 0 1 1.400 1.900l-2 7.500A2 2 0 0 1 16.500 20H7',
  thumbDown:
    'M17 13V4h3v9zM17 13l-4 7.500c-1.500 0-2.300-1-2-2.500l.5-3H5a1.500 1.500 0 0 1-1.400-1.900l2-7.500A2 2 0 0 1 7.500 4H17',
  sliders: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  devices: 'M3 5h13v10H3zM7 19h5M17.500 9h4v11h-5v-2',
  pin: 'M9 4h6l-.7 6 2.700 3.500H7L9.700 10zM12 13.500V20',
  outside: 'M14 4h6v6M20 4l-9 9M10 6H5v13h13v-5',
} as const;

export type IconName = keyof typeof PATHS;

/** Icons that point to a side. A page from right to left shows them mirrored. */
const POINTING: ReadonlySet<IconName> = new Set(['back', 'leave', 'next', 'outside', 'previous']);

/** An icon beside a text. Hidden from screen readers, because it is only decorative. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg
      class={POINTING.has(name) ? 'icon pointing' : 'icon'}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
