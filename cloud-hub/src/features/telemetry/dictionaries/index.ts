export { Dictionaries, hashDictionary } from './dictionaries.ts'
export { purgeDictionaries } from './repository.ts'
