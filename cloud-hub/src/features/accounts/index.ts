export { findApiKey, type KnownApiKey } from './api-keys.ts'
export { createIdentify } from './identify.ts'
export { accountRoutes } from './routes.ts'
export { loadSigningKeys, type SigningKey, type SigningKeys } from './signing-keys.ts'
