// The width of an element, so that text in a drawing keeps its size.
import { type RefObject, useLayoutEffect, useState, useSyncExternalStore } from 'react'

export function useWidth(element: RefObject<HTMLElement | null>, before: number) {
  const [width, setWidth] = useState(before)
  useLayoutEffect(() => {
    const watched = element.current
    if (!watched) return
    const watch = new ResizeObserver(() => setWidth(Math.max(1, Math.round(watched.clientWidth))))
    watch.observe(watched)
    return () => watch.disconnect()
  }, [element])
  return width
}

const onResize = (changed: () => void) => {
  window.addEventListener('resize', changed)
  return () => window.removeEventListener('resize', changed)
}
export const useWindowWidth = () => useSyncExternalStore(onResize, () => window.innerWidth)
