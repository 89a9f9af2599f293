// A row under the pointer rings its point, and a point its row: both carry the experiment's id.
import { useEffect, useState } from 'react'

const rowOf = (target: EventTarget | null) => (target instanceof Element ? target.closest<HTMLElement>('[data-id]') : null)

// Gives back the experiment whose row is pointed at or has the focus; marks the row of `pointed`.
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
    if (pointed === null) return
    const row = document.querySelector<HTMLElement>(`#main [data-id="${pointed}"]`)
    row?.setAttribute('data-linked', '')
    return () => row?.removeAttribute('data-linked')
  }, [pointed])
  return linked
}
