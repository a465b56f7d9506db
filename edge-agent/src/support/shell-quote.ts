/** A text as one word of a POSIX shell, quoted only where the shell would interpret it (POSIX.1-2024, XCU 2.2.2). */
export const shellQuote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
