import { useEffect, useRef, useState } from 'preact/hooks';

/** How far from the end of the page a reader may be and still read the end, in CSS pixels. */
const NEAR = 48;

interface Growth {
  /** Changes when turns are added. */
  readonly turns: unknown;
  /** Whether an answer is being written. */
  readonly isWriting: boolean;
  /** Whether there are turns. */
  readonly hasTurns: boolean;
  /** Whether another page or device has written the latest turns. The page does not move for them. */
  readonly isQuiet: boolean;
}

interface Following {
  /** Whether the page goes on below what the reader sees. */
  readonly hasMore: boolean;
  /** Goes to the end of the page, and follows it again. */
  readonly toEnd: () => void;
}

/** Keeps the end of a growing page in view while the reader is there. A reader who scrolls up stays where they are. */
export function useFollowing({ turns, isWriting, hasTurns, isQuiet }: Growth): Following {
  const isAtEnd = useRef(true);
  const lastTop = useRef(0);
  const hasShown = useRef(false);
  const [hasMore, setHasMore] = useState(false);
  const look = (): void => {
    const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
    // A page that grew is not a reader who scrolled up.
    if (scrollHeight - clientHeight - scrollTop <= NEAR) isAtEnd.current = true;
    else if (scrollTop < lastTop.current) isAtEnd.current = false;
    lastTop.current = scrollTop;
    setHasMore(!isAtEnd.current);
  };
  const toEnd = (): void => {
    isAtEnd.current = true;
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
    look();
  };
  useEffect(() => {
    addEventListener('scroll', look, { passive: true });
    return () => {
      removeEventListener('scroll', look);
    };
  }, []);
  useEffect(() => {
    if (isQuiet && hasShown.current) {
      isAtEnd.current = false;
      look();
    } else if (hasTurns && isAtEnd.current) toEnd();
    hasShown.current ||= hasTurns;
  }, [turns, hasTurns, isQuiet, isWriting]);
  useEffect(() => {
    if (!isWriting) return undefined;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) toEnd();
    });
    observer.observe(document.body);
    return () => {
      observer.disconnect();
    };
  }, [isWriting]);
  return { hasMore, toEnd };
}
