import base from './playwright.config'

// Pictures of every state of every page: 'tools/web look OUT'.
export default {
  ...base,
  testMatch: 'look.ts',
  reporter: 'line' as const,
  retries: 0,
  timeout: 60_000,
  outputDir: '../../build/web-look',
}
