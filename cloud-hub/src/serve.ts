import { type HubConfig, loadConfig, plaintextWarning, publicUrl } from './config.ts'
import { ensureConsole } from './console-build.ts'
import { startHub } from './hub.ts'
import { createLogger } from './support/logger.ts'
import { startWatchdog } from './support/watchdog.ts'

/** Runs the hub until Ctrl-C or SIGTERM stops it. */
export async function serve(): Promise<void> {
  const config = loadConfig(process.env)
  if (config.roles.has('api')) await ensureConsole(console.log)
  const logger = createLogger(config.logLevel)
  if (config.roles.has('api')) logger.info(firstAccount(config))
  const warning = plaintextWarning(config)
  if (warning) {
    logger.warn({ host: config.host }, warning)
    console.error(`Warning: ${warning}`)
  }
  const starting = startHub(config, logger)
  // after the first step of the start, which now waits: its thread costs 70 ms of CPU time
  startWatchdog(logger)
  // a stop during the start waits for the start to finish, so that no half-started part remains
  const end = async (signal: string) => {
    logger.info({ signal }, 'stopping')
    await starting.then(
      (hub) => hub.stop(),
      () => {},
    )
    process.exit(0)
  }
  process.once('SIGINT', end).once('SIGTERM', end)
  await starting
}

/** How the first account of a new hub is made, for its log. */
const firstAccount = (config: HubConfig): string => {
  const command = '`npm run hub -- tenants create NAME EMAIL`'
  return config.isRegistrationOpen
    ? `the hub is starting; the first account is made at ${publicUrl(config)}/register, or with ${command}`
    : `the hub is starting; REGISTRATION is closed, so the first account is made with ${command}`
}
