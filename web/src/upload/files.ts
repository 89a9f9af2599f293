// Files of a drop, a choice or the clipboard, with their places in folders.
import type { Chosen } from './sender'

function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  // a reader returns one part per call, and an empty one at the end; unreadable entries are missing
  return new Promise((resolve) => {
    const next = () =>
      reader.readEntries(
        (entries) => {
          if (entries.length === 0) return resolve(all)
          all.push(...entries)
          next()
        },
        () => resolve(all),
      )
    next()
  })
}

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File | null>((resolve) => entry.file(resolve, () => resolve(null)))

// One after another, because the browser refuses thousands of open reads.
async function walk(entry: FileSystemEntry, path: string, isOfFolder: boolean, found: Chosen[]) {
  if (isOfFolder && entry.name.startsWith('.')) return
  if (entry.isFile) {
    const file = await fileOf(entry as FileSystemFileEntry)
    if (file) found.push({ file, name: path + entry.name, isOfFolder })
    return
  }
  const entries = await entriesOf(entry as FileSystemDirectoryEntry)
  for (const one of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    await walk(one, `${path}${entry.name}/`, true, found)
}

export async function filesOfDrop(data: DataTransfer): Promise<Chosen[]> {
  // both must be read before the first await, after which the browser has cleared them
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  const plain = [...data.files]
  if (entries.length === 0) return plain.map((file) => ({ file, name: file.name, isOfFolder: false }))
  const found: Chosen[] = []
  for (const entry of entries) await walk(entry, '', false, found)
  return found
}

export function filesOfInput(list: FileList | null): Chosen[] {
  const all = [...(list ?? [])].map((file) => ({
    file,
    name: file.webkitRelativePath || file.name,
    isOfFolder: file.webkitRelativePath !== '',
  }))
  return all.filter(({ name, isOfFolder }) => !isOfFolder || !name.split('/').some((part) => part.startsWith('.')))
}

// The files in the clipboard, or a file with the pasted text of a result.
export function filesOfClipboard(data: DataTransfer): Chosen[] {
  const files = [...data.files].map((file) => ({ file, name: file.name, isOfFolder: false }))
  if (files.length > 0) return files
  const text = data.getData('text/plain').trim()
  if (!/^[[{]/.test(text)) return []
  return [
    { file: new File([text], 'pasted.json', { type: 'application/json' }), name: 'pasted.json', isOfFolder: false },
  ]
}

// Names an upload by what its files have in common.
export function nameOf(chosen: Chosen[]) {
  const [first] = chosen
  if (!first) return ''
  const folder = first.name.includes('/') ? first.name.slice(0, first.name.indexOf('/')) : null
  if (folder !== null && chosen.every(({ name }) => name.startsWith(`${folder}/`))) return folder
  return chosen.length === 1 ? first.name : `${first.name} and ${chosen.length - 1} more`
}
