export { PAGE_POLICY, type Page, renderPage } from './layout.ts'
export { mountAccountPages } from './mount.ts'
