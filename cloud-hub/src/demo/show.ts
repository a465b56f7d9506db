import { isUnauthorized } from './api.ts'
import type { ReceivedAlert } from './receiver.ts'
import { type MachineView, renderStatus } from './screen.ts'

const REFRESH_MS = 2_000
/** Without a terminal, the table is printed at this interval. */
const PRINT_MS = 30_000
/** The first table waits this long for values of every machine. */
const FIRST_VALUES_MS = 10_000
const PRINT_COLUMNS = 110
/** Hub, plant and agent keep running. */
const LOGIN_CHANGED =
  'The login of this view was changed, so it no longer shows machines. Everything else runs on; the next npm start makes a new demonstration plant.'

/** What a terminal shows above the line of the cursor. Some terminals, such as serial consoles, say that they have 0 rows. */
export const statusSize = ({ columns, rows }: { columns: number; rows: number }) => ({
  columns: columns || 80,
  rows: (rows || 24) - 1,
})

/**
 * Prints `heading`, then machines and alerts below it: redrawn in place on a terminal, else printed periodically.
 * @returns a function that stops the output
 */
export function showMachines(heading: string, load: () => Promise<MachineView[]>, alerts: readonly ReceivedAlert[]): () => void {
  const { stdout } = process
  const isTerminal = stdout.isTTY === true
  const startedAt = performance.now()
  let stopped = false
  let drawing = false
  let drawnLines = 0
  let printedAt = Number.NEGATIVE_INFINITY

  const redraw = (machines: MachineView[]) => {
    const text = renderStatus(machines, alerts, { ...statusSize(stdout), isColoured: true })
    const back = drawnLines > 0 ? `\x1b[${drawnLines}A\r\x1b[J` : ''
    // lines must not wrap, otherwise the cursor would return to the wrong line
    stdout.write(`${back}\x1b[?7l${text}\n\x1b[?7h`)
    drawnLines = text.split('\n').length
  }
  const print = (machines: MachineView[]) => {
    const isEmpty = machines.some(({ cells }) => cells.every(({ value }) => value.trim() === ''))
    if ((isEmpty && performance.now() - startedAt < FIRST_VALUES_MS) || performance.now() - printedAt < PRINT_MS) return
    printedAt = performance.now()
    stdout.write(`\n${renderStatus(machines, [], { columns: PRINT_COLUMNS, rows: machines.length + 1, isColoured: false })}\n`)
  }
  const giveUp = () => {
    clearInterval(timer)
    stdout.write(`\n${LOGIN_CHANGED}\n`)
  }
  const draw = async () => {
    if (drawing) return
    drawing = true
    const machines = await load().catch((error) => {
      if (isUnauthorized(error) && !stopped) giveUp()
      return null
    })
    drawing = false
    if (machines && !stopped) (isTerminal ? redraw : print)(machines)
  }
  // a resized window wraps lines differently, so redraw everything
  const resized = () => {
    stdout.write(`\x1b[H\x1b[2J${heading}\n`)
    drawnLines = 0
    draw()
  }
  stdout.write(`${heading}\n`)
  const timer = setInterval(draw, REFRESH_MS)
  if (isTerminal) stdout.on('resize', resized)
  draw()
  return () => {
    stopped = true
    clearInterval(timer)
    stdout.off('resize', resized)
  }
}
