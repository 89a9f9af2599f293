import base from './playwright.config'

// Pictures of the screens for the documentation: `tools/web shots docs/images`.
export default { ...base, testMatch: 'shots.ts', reporter: 'line' as const, outputDir: '../../build/web-shots' }
