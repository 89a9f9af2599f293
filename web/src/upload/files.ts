// Files of a drop, folders gone through.
function filesOf(entry: FileSystemEntry, path: string): Promise<File[]> {
  return new Promise((resolve) => {
    if (entry.isFile) {
      const file = entry as FileSystemFileEntry
      file.file((one) => resolve([path ? new File([one], path + one.name, { type: one.type }) : one]), () => resolve([]))
      return
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    const found: Promise<File[]>[] = []
    // a reader gives a part at a time, and an empty one at the end
    const next = () =>
      reader.readEntries((entries) => {
        if (entries.length === 0) return void Promise.all(found).then((lists) => resolve(lists.flat()))
        for (const one of entries) found.push(filesOf(one, `${path}${entry.name}/`))
        next()
      }, () => resolve([]))
    next()
  })
}

export async function filesOfDrop(data: DataTransfer): Promise<File[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  if (entries.length === 0) return [...data.files]
  return (await Promise.all(entries.map((entry) => filesOf(entry, '')))).flat()
}
