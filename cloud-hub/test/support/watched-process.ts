import { open } from 'node:inspector'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '../../src/support/logger.ts'
import { startWatchdog } from '../../src/support/watchdog.ts'

// node watched-process.ts PING_MS STEP...: a process with a watchdog.
//   debugger      opens the inspector; before the first other step, there is no watchdog
//   attach        opens it, and waits for the end of the watchdog
//   MILLISECONDS  blocks the event loop for so long, or for ever (Infinity)
//   exit          has nothing more to do
// Otherwise it prints a line for each ping, and blocks for ever at SIGUSR2.
const [pingMs = Number.NaN, ...steps] = process.argv.slice(2).map((text) => (Number.isNaN(Number(text)) ? text : Number(text)))

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
  console.log('unblocked')
}

if (steps[0] === 'debugger') open(0, '127.0.0.1')
const thread = startWatchdog(createLogger('info'), Number(pingMs))
console.log(thread ? 'watched' : 'not watched')
for (const step of steps) {
  if (typeof step === 'number') {
    // between two blocks the event loop answers
    await sleep(2 * Number(pingMs))
    block(step)
  } else if (step === 'attach') {
    const ended = new Promise((resolve) => thread?.once('exit', resolve).ref())
    open(0, '127.0.0.1')
    await ended
  }
}
if (steps.at(-1) !== 'exit') {
  process.on('SIGUSR2', () => block(Number.POSITIVE_INFINITY))
  setInterval(() => console.log('tick'), Number(pingMs))
}
