/** A spreadsheet takes a cell that begins so for a formula. Source: OWASP, "CSV Injection" */
const FORMULA = /^[=+\-@\t\r]/

/** Spreadsheets of some countries divide at `;` or tabs, so cells with these are quoted too. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value)
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Rows as CSV (RFC 4180), with a byte order mark for spreadsheets. */
export const csvLines = (rows: readonly (readonly unknown[])[]): string =>
  `\uFEFF${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`
