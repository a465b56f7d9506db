export { Dictionaries, sha256 } from './dictionaries.ts'
export { purgeDictionaries } from './repository.ts'
