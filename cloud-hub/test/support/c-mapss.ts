import { writeFileSync } from 'node:fs'
import path from 'node:path'

/** Engines in the format of C-MAPSS: the first sensor wears in the last 40 cycles, the second is noise, the third constant. */
const rows = [80, 90, 70, 85].flatMap((life, unit) =>
  Array.from({ length: life }, (_, i) => {
    const wear = Math.max(0, 40 - (life - i)) / 4
    const noise = ((i * 37) % 11) / 10
    return `${unit + 1} ${i + 1} 0.0023 -0.0003 100.0 ${(640 + wear + noise).toFixed(2)} ${(1_590 + noise).toFixed(2)} 14.62 `
  }),
)

/** Writes the engines as the only file of a folder of C-MAPSS. */
export function writeEngines(folder: string): void {
  writeFileSync(path.join(folder, 'train_FD001.txt'), `${rows.join('\n')}\n`)
}
