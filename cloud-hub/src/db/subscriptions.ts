export const SUBSCRIPTION_STATUSES = ['active', 'trialing', 'past_due', 'canceled'] as const
export const SUBSCRIPTION_TIERS = ['free', 'pro', 'enterprise'] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]
export type SubscriptionTier = (typeof SUBSCRIPTION_TIERS)[number]
