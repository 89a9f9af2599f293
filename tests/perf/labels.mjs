// Returns the labels of fields as the web UI shows them (web/src/fields): 'Tensor parallel size' for tensor_parallel_size.
export async function fieldLabels(address, ids) {
  const { fields } = await (await fetch(new URL('/api/fields', address))).json()
  return ids.map((id) => {
    const field = fields.find((one) => one.id === id)
    if (!field) throw new Error(`the dashboard has no field '${id}'`)
    return `${field.label[0].toUpperCase()}${field.label.slice(1).replaceAll('_', ' ')}`
  })
}
