import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { originalName } from './support/durable-file.ts'

/** A file or folder of the data directory that was damaged and set aside. */
export interface DamagedFile {
  /** its name now, relative to the data directory */
  name: string
  /** what follows from it, in words for the operator */
  consequence: string
}

const CONSEQUENCES: readonly [begins: string, consequence: string][] = [
  ['buffer.sqlite', 'what could be read of it was taken over, the rest is recorded as a gap'],
  ['instance-id', 'the agent has a new instance id; the hub may refuse it for a minute, as a second agent of this agent_id'],
  ['namespaces.json', 'the namespaces of the next OPC UA sessions count as the first ones'],
  ['sources.json', 'the hub sends its polling sources again'],
  ['pki/own', 'the agent made a new OPC UA certificate, which every server has to trust'],
  ['pki/trusted/', 'the certificate of this OPC UA server is not trusted any more: let the agent connect, then trust it again'],
  ['pki/rejected/', 'nothing is lost: the OPC UA server shows its certificate again'],
]

/** What was set aside in a data directory, by name; it stays listed until somebody removes it. */
export function damagedFiles(dataDir: string): DamagedFile[] {
  return ['', 'pki', 'pki/trusted', 'pki/rejected'].flatMap((folder) =>
    namesIn(join(dataDir, folder))
      .filter((name) => originalName(name) !== null)
      .map((name) => {
        const path = relative(dataDir, join(dataDir, folder, name)).replaceAll(sep, '/')
        return { name: path, consequence: CONSEQUENCES.find(([begins]) => path.startsWith(begins))?.[1] ?? '' }
      }),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
