// Preferences that this browser stores, as they are not part of an address.
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

export type Theme = 'system' | 'light' | 'dark'

interface Preferences {
  theme: Theme
  letterKeys: boolean // WCAG 2.1.4: keys of one letter can be switched off
  openSections: Record<string, boolean> // of the filter panel, where they differ from the program's
  lastExplore: string // where "Explore" goes back to
  widths: Record<string, number> // of columns that the user resized, by field
  unfinished: Record<string, number> // artifacts whose results had not arrived yet, by upload
  author: string // as whom one changes results
  set: (part: Partial<Omit<Preferences, 'set'>>) => void
}

export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      theme: 'system',
      letterKeys: true,
      openSections: {},
      widths: {},
      lastExplore: '/',
      unfinished: {},
      author: '',
      set,
    }),
    { name: 'profllm', partialize: ({ set: _, lastExplore: __, ...kept }) => kept },
  ),
)

// The author as a key of a request; none if unknown.
export const authorOf = ({ author }: { author: string }) => (author.trim() ? { author: author.trim() } : {})

// public/theme.js reads the same before the first paint.
export function applyTheme(theme: Theme) {
  const root = document.documentElement
  if (theme === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme
  try {
    if (theme === 'system') localStorage.removeItem('profllm.theme')
    else localStorage.setItem('profllm.theme', theme)
  } catch {
    // no storage: it holds until the page is left
  }
  usePreferences.getState().set({ theme })
}
