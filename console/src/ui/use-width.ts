import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** The width of an element in pixels, 0 until it is known. */
export const useWidth = <Measured extends HTMLElement>(): [RefObject<Measured | null>, number] => {
  const element = useRef<Measured>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element.current);
    setWidth(Math.floor(element.current.clientWidth));
    return () => observer.disconnect();
  }, []);
  return [element, width];
};
