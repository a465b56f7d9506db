import { noteDialog as de } from '../../i18n/de/note-dialog.ts'
import { noteDialog as en } from '../../i18n/en/note-dialog.ts'
import { useCatalogue } from '../../i18n/language.ts'

const TEXTS = { en, de }

/** The texts of the dialog of a note. They are part of it, because the catalogue is loaded with every page. */
export const useNoteDialogTexts = () => TEXTS[useCatalogue().language]
