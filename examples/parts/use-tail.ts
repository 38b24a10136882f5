import { useEffect, useRef, useState } from 'react';
import type { EventRowFragment } from '../generated/graphql.js';

export type EventEdge = { cursor: string; node: EventRowFragment };

/** Opens a stream after a cursor. Returns a function that closes it. */
export type OpenTail = (
  after: string | undefined,
  on: { event: (edge: EventEdge) => void; end: (message: string) => void },
) => () => void;

const PAUSE_MS = 1_000;

/**
 * The events recorded since a page was read, newest first. A stream that ends for any reason is reopened from its last
 * cursor, so no event is missed or repeated.
 */
export const useTail = (isOn: boolean, newest: string | undefined, open: OpenTail) => {
  const [edges, setEdges] = useState<readonly EventEdge[]>([]);
  const [problem, setProblem] = useState<string>();
  const last = useRef<string>(undefined);

  useEffect(() => {
    if (!isOn) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let close = () => {};
    const start = () => {
      close = open(last.current ?? newest, {
        event: (edge) => {
          last.current = edge.cursor;
          setProblem(undefined);
          setEdges((known) => [edge, ...known]);
        },
        end: (message) => {
          close();
          setProblem(message);
          timer = setTimeout(start, PAUSE_MS);
        },
      });
    };
    start();
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [isOn, newest, open]);

  return { edges, problem };
};
