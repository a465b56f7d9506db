export { generateNarrative, type NarrativeProvider, providerClient } from './provider.ts'
export { describeFactors, type NarrativeFacts, narrate, noData } from './texts.ts'
