// A row or a slot of the tray under the pointer rings its point, a point marks both: all carry the experiment's id.
import { useEffect, useState } from 'react'

const rowOf = (target: EventTarget | null) => (target instanceof Element ? target.closest<HTMLElement>('[data-id]') : null)

// Gives back the experiment whose row is pointed at or has the focus; marks what is of that one, or of `pointed`.
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
    return () => { for (const one of marked) one.removeAttribute('data-linked') }
  }, [pointed, linked])
  return linked
}
