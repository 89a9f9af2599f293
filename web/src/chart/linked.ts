// Links rows, slots of the tray and points by the id of the experiment: pointing at one marks the others.
import { useEffect, useState } from 'react'

const rowOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-id]') : null

// Returns the experiment whose row is under the pointer or has the focus, and marks the elements of that one or of
// `pointed`.
export function useLinked(pointed: number | null): number | null {
  const [linked, setLinked] = useState<number | null>(null)
  useEffect(() => {
    const enter = ({ target }: Event) => {
      const id = Number(rowOf(target)?.dataset['id'])
      setLinked(Number.isSafeInteger(id) && id > 0 ? id : null)
    }
    const main = document.getElementById('main')
    main?.addEventListener('pointerover', enter)
    main?.addEventListener('focusin', enter)
    return () => {
      main?.removeEventListener('pointerover', enter)
      main?.removeEventListener('focusin', enter)
    }
  }, [])
  useEffect(() => {
    const id = pointed ?? linked
    if (id === null) return
    const marked = document.querySelectorAll(`#main [data-id="${id}"]`)
    for (const one of marked) one.setAttribute('data-linked', '')
    return () => {
      for (const one of marked) one.removeAttribute('data-linked')
    }
  }, [pointed, linked])
  return linked
}
