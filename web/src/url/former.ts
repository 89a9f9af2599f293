// Names in links and presets that earlier versions wrote, with the present ones. They are read and never written.
const PRESENT: Record<string, string> = { colour: 'color', differ: 'differing' }

export function withPresentNames(text: string) {
  const query = new URLSearchParams(text)
  for (const [former, name] of Object.entries(PRESENT)) {
    const value = query.get(former)
    if (value !== null && !query.has(name)) query.set(name, value)
    query.delete(former)
  }
  return query
}
