import { noteDialog as de } from '../../i18n/de/note-dialog.ts'
import { noteDialog as en } from '../../i18n/en/note-dialog.ts'
import { ownTexts } from '../../i18n/own-texts.ts'

/** Texts of the dialog of a note. */
export const useNoteDialogTexts = ownTexts({ en, de })
