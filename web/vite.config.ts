import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const dashboard = process.env['PROFLLM_DASHBOARD'] ?? 'http://127.0.0.1:8421'

// The policy of the server allows no inline style and no inline script, so nothing here may make one:
// no polyfill for module preloads, no assets as data addresses.
export default defineConfig({
  plugins: [react()],
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
