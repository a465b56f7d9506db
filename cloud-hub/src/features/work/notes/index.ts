export { hasNotesOfOthers, isAboutGroup, NOTE_COLUMNS, type NoteRow, notesOfMachine } from './repository.ts'
export { noteRoutes, presentNote } from './routes.ts'
export { NoteBody } from './schemas.ts'
