export { claimPlace, lockPlaces, type Places, placesOf } from './claim-places.ts'
export {
  LIMIT_KINDS,
  LIMITS,
  type LimitKind,
  MAX_LIMIT,
  NEAR,
  type OwnLimits,
  type Standards,
  standardsOf,
} from './kinds.ts'
export { type FullTenant, fullLimits, type LimitUse, limitsOf, shareOf, usesOf } from './read-limits.ts'
