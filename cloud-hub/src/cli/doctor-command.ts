import type { Command } from 'commander'

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .argument('[part]', '`attachments`: compare every file of attachments with its row')
    .option('--json', 'as JSON')
    .description('check this hub and explain what to fix; the exit code is 1 when a check fails')
    .action(async (part: string | undefined, { json }: { json?: boolean }) => {
      if (part !== undefined && part !== 'attachments') program.error('error: the only part of `doctor` is `attachments`')
      if (part === 'attachments') {
        const { compareAttachments } = await import('./doctor-attachments.ts')
        return compareAttachments(json ?? false)
      }
      const { runDoctor } = await import('./doctor.ts')
      const findings = await runDoctor(process.env)
      if (json) console.log(JSON.stringify(findings, null, 2))
      else {
        const width = Math.max(...findings.map(({ check }) => check.length))
        for (const { check, state, detail } of findings) console.log(`${state.padEnd(4)}  ${check.padEnd(width)}  ${detail}`)
      }
      if (findings.some(({ state }) => state === 'fail')) process.exitCode = 1
    })
}
