// embed.js OUT: OUT/dist as rows for src/dash/page_files.c, and the sizes of what the first screen and the chart load.
// A row is PLAIN(number, path, type, etag, is_hashed, file, length), and PACKED(… gzip file, its length, brotli file,
// its length) where gzip makes it much smaller.
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync, writeFileSync, mkdirSync, rmSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { brotliCompressSync, gzipSync, constants } from 'node:zlib'

const FIRST_SCREEN_MAX = 260 * 1024
const CHART_MAX = 280 * 1024
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const out = process.argv[2]
const dist = join(out, 'dist')

function* files(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* files(path)
    else yield path
  }
}

// no header field that differs from build to build
const pack = (bytes) => gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION })

const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))

// What the browser must have for a script to run: itself and all that it imports at once, without what is there
// already.
function loaded(entry, there = []) {
  const seen = new Set()
  const walk = (key) => {
    if (seen.has(key)) return
    seen.add(key)
    for (const next of manifest[key].imports ?? []) walk(next)
  }
  walk(entry)
  return [...seen].map((key) => manifest[key].file).filter((file) => !there.includes(file))
}

function checked(what, scripts, max) {
  const size = scripts.reduce((sum, name) => sum + pack(readFileSync(join(dist, name))).length, 0)
  if (size <= max) return size
  console.error(`web: ${what} is ${size} bytes with gzip, ${max} at most: ${scripts.join(' ')}`)
  process.exit(1)
}

const scripts = loaded('index.html')
const size = checked("the first screen's script", scripts, FIRST_SCREEN_MAX)
const chart = checked("the chart's script", loaded('src/chart/panel.tsx', scripts), CHART_MAX)

const CODINGS = [
  { folder: 'gzip', suffix: 'gz', pack },
  {
    folder: 'brotli',
    suffix: 'br',
    pack: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  },
]
for (const { folder } of CODINGS) {
  rmSync(join(out, folder), { recursive: true, force: true })
  mkdirSync(join(out, folder), { recursive: true })
}
const rows = []
for (const path of files(dist)) {
  const name = relative(dist, path)
  const type = TYPES[extname(name)]
  if (name.startsWith('.vite/')) continue
  if (!type) throw new Error(`web: no content type is known for ${name}`)
  const bytes = readFileSync(path)
  const etag = createHash('sha256').update(bytes).digest('hex')
  const is_packed = pack(bytes).length < bytes.length * 0.9
  const row = [
    rows.length,
    `"/${name}"`,
    `"${type}"`,
    `"${etag}"`,
    name.startsWith('assets/'),
    `"dist/${name}"`,
    bytes.length,
  ]
  for (const coding of is_packed ? CODINGS : []) {
    const file = `${coding.folder}/${name.replaceAll('/', '_')}.${coding.suffix}`
    const small = coding.pack(bytes)
    writeFileSync(join(out, file), small)
    row.push(`"${file}"`, small.length)
  }
  rows.push(`${is_packed ? 'PACKED' : 'PLAIN'}(${row.join(', ')})`)
}
writeFileSync(join(out, 'page_size.txt'), `${size}\n${chart}\n`)
writeFileSync(join(out, 'page_table.h'), rows.map((row) => `${row}\n`).join(''))
