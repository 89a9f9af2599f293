import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin } from 'vite'

const dashboard = process.env['PROFLLM_DASHBOARD'] ?? 'http://127.0.0.1:8421'

// Names the files of the chart and of the page of an experiment in index.html: the first scripts request them together with the main script, not after it has run.
const nameFiles: Plugin = {
  name: 'name-files',
  transformIndexHtml: {
    order: 'post',
    handler(_, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const entry = chunks.find(({ isEntry }) => isEntry)
      const known = new Set([entry?.fileName, ...(entry?.imports ?? [])])
      return [['chart-files', '/src/chart/panel.tsx'], ['experiment-files', '/src/experiment/experiment.tsx']].flatMap(([name = '', source = '']) => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(source))
        if (!chunk) return []
        const styles = [...(chunk.viteMetadata?.importedCss ?? [])]
        const files = [...chunk.imports, chunk.fileName, ...styles].filter((file) => !known.has(file))
        return [{ tag: 'meta', injectTo: 'head-prepend' as const, attrs: { name, content: files.map((file) => `/${file}`).join(' ') } }]
      })
    },
  },
}

// Adds src/ahead.ts as a script of its own without modules, which runs while the others load.
const requestAhead: Plugin = {
  name: 'request-ahead',
  apply: 'build',
  async buildStart() {
    const made = await build({
      configFile: false,
      logLevel: 'warn',
      build: { write: false, target: 'es2022', modulePreload: false, rollupOptions: { input: 'src/ahead.ts', output: { format: 'iife' } } },
    })
    const [output] = [made].flat()
    if (output && 'output' in output) this.emitFile({ type: 'asset', name: 'ahead.js', source: output.output[0].code })
  },
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const file = Object.values(bundle).find((one) => one.type === 'asset' && one.names.includes('ahead.js'))
      return file ? html.replace('<script src="/theme.js"></script>', `$&<script src="/${file.fileName}"></script>`) : html
    },
  },
}

// The policy of the server allows no inline style and no inline script, so nothing here may make one:
// no polyfill for module preloads, no assets as data addresses.
export default defineConfig({
  plugins: [react(), nameFiles, requestAhead],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000, // tools/embed.js knows better
    manifest: true,
    license: true, // .vite/license.md, which `make install` and packages contain
  },
  // `tools/web dev` shows the page from the sources against a dashboard that runs on its usual port,
  // which refuses questions from elsewhere
  server: { proxy: { '/api': { target: dashboard, changeOrigin: true, headers: { origin: dashboard } } } },
})
