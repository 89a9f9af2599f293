import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const dashboard = process.env['PROFLLM_DASHBOARD'] ?? 'http://127.0.0.1:8421'

// Names the files of the chart in index.html: public/theme.js requests them with the first scripts of Explore, not after those have run.
const nameChart: Plugin = {
  name: 'name-chart',
  transformIndexHtml: {
    order: 'post',
    handler(_, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const entry = chunks.find(({ isEntry }) => isEntry)
      const chart = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/chart/panel.tsx'))
      if (!entry || !chart) return []
      const known = new Set([entry.fileName, ...entry.imports])
      const files = [...chart.imports, chart.fileName].filter((name) => !known.has(name))
      return [{ tag: 'meta', injectTo: 'head-prepend', attrs: { name: 'chart-scripts', content: files.map((name) => `/${name}`).join(' ') } }]
    },
  },
}

// The policy of the server allows no inline style and no inline script, so nothing here may make one:
// no polyfill for module preloads, no assets as data addresses.
export default defineConfig({
  plugins: [react(), nameChart],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000, // tools/embed.js knows better
    manifest: true,
  },
  // `tools/web dev` shows the page from the sources against a dashboard that runs on its usual port,
  // which refuses questions from elsewhere
  server: { proxy: { '/api': { target: dashboard, changeOrigin: true, headers: { origin: dashboard } } } },
})
