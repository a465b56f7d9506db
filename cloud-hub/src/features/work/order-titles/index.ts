export { readsLike, TITLE_FACTS, titleIn } from './title.ts'
