import {
  defaultRangeExtractor,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
  type VirtualItem,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

/** Rows rendered beyond each edge of the window. */
const OVERSCAN = 8;

interface WindowRowsInput {
  readonly count: number;
  /** Expected height of a row in pixels. */
  readonly rowHeight: number;
  /** Heights that an earlier view measured and returned from `heights`. */
  readonly heightsBefore: readonly VirtualItem[];
  /** The element that contains the rows, from its top. */
  readonly start: RefObject<HTMLElement | null>;
}

export interface WindowRows {
  readonly items: readonly VirtualItem[];
  /**
   * Height in pixels of the gap before the item at `position`, in which rows are not rendered. If `position` is
   * `items.length`, height of the gap after the last item.
   */
  readonly gapBefore: (position: number) => number;
  /** Ref of a row, which has its index in `data-index`. */
  readonly measure: (row: HTMLElement | null) => void;
  readonly heights: () => VirtualItem[];
  /** Scroll position of the page, also while the rows are being removed. */
  readonly offset: () => number;
  /** Keeps a row rendered, because it has the focus. */
  readonly keep: (index: number | null) => void;
}

/** The rows of a long list that are in the window. The page scrolls, not the list. */
export function useWindowRows({ count, rowHeight, heightsBefore, start }: WindowRowsInput): WindowRows {
  const [, update] = useReducer<number, undefined>((changes) => changes + 1, 0);
  const [margin, setMargin] = useState(0);
  const keptIndex = useRef<number | null>(null);
  const options = {
    count,
    overscan: OVERSCAN,
    scrollMargin: margin,
    initialMeasurementsCache: [...heightsBefore],
    initialOffset: () => scrollY,
    estimateSize: () => rowHeight,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const inView = defaultRangeExtractor(range);
      const index = keptIndex.current;
      if (index === null || index >= count || inView.includes(index)) return inView;
      return [...inView, index].sort((one, other) => one - other);
    },
    onChange: () => {
      update(undefined);
    },
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
  });
  useLayoutEffect(() => {
    const place = (): void => {
      if (start.current !== null) setMargin(Math.round(start.current.getBoundingClientRect().top + scrollY));
    };
    place();
    const observer = new ResizeObserver(place); // the content above the rows may change its height
    observer.observe(document.body);
    return () => {
      observer.disconnect();
    };
  }, []);
  const items = virtualizer.getVirtualItems();
  return {
    items,
    gapBefore: (position) => {
      const end = items[position - 1]?.end ?? margin;
      return (items[position]?.start ?? margin + virtualizer.getTotalSize()) - end;
    },
    measure: virtualizer.measureElement,
    heights: virtualizer.takeSnapshot,
    offset: () => virtualizer.scrollOffset ?? scrollY,
    keep: (index) => {
      keptIndex.current = index;
    },
  };
}
