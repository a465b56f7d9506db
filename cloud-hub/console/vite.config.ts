import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { catalogues } from './build/catalogues.ts'
import { CHUNKS, fewerFiles } from './build/chunks.ts'
import { compressFiles } from './build/compress-files.ts'
import { preloadFont } from './build/preload-font.ts'
import { serviceWorker } from './build/service-worker.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), catalogues(), fewerFiles(), preloadFont(), serviceWorker(), compressFiles()],
  build: {
    outDir: process.env.CONSOLE_OUT_DIR ?? 'dist',
    emptyOutDir: true,
    // the content security policy allows no data: scripts, fonts or inline modules
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome120', 'firefox121', 'safari17.2'],
    reportCompressedSize: false,
    // read by the test of the sizes
    manifest: true,
    // the limits of fields cost their digits, in the file that uses them
    rolldownOptions: { optimization: { inlineConst: { mode: 'all' } }, output: { codeSplitting: CHUNKS } },
  },
})
