import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { createConnection } from 'node:net'
import nodemailer from 'nodemailer'
import { ConfigError, type HubConfig, loadConfig, publicUrl, SECRET_SETTINGS, Settings } from '../config.ts'
import { checkAttachments } from './doctor-attachments.ts'
import { checkDatabase } from './doctor-database.ts'
import { checkJobs } from './doctor-jobs.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { findMisspellings } from './similar-settings.ts'

/** Runs all checks; a failed check does not stop the others. */
export async function runDoctor(env: Record<string, string | undefined>): Promise<Finding[]> {
  let config: HubConfig
  try {
    config = loadConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [...error.faults.map((fault) => fail('settings', fault)), ...checkNames(env)]
  }
  return [
    ok('settings', 'are valid'),
    ...checkNames(env),
    await checkDataDir(config),
    ...(await checkDatabase(config)),
    await checkAttachments(config),
    await checkMail(config),
    await checkBroker(config),
    await checkPort(config),
    ...(await checkJobs(config)),
    config.publicUrl
      ? ok('PUBLIC_URL', config.publicUrl)
      : warn('PUBLIC_URL', `not set: links in mails lead to ${publicUrl(config)}, which only this machine can open`),
  ]
}

const SETTING_NAMES = [...Object.keys(Settings.shape), ...SECRET_SETTINGS.map((name) => `${name}_FILE`)]

const checkNames = (env: Record<string, string | undefined>): Finding[] =>
  findMisspellings(env, SETTING_NAMES).map(({ variable, meant }) =>
    warn('settings', `${variable} is not a setting and has no effect: did you mean ${meant}?`),
  )

async function checkDataDir(config: HubConfig): Promise<Finding> {
  try {
    await access(config.dataDir, constants.W_OK)
    const { bavail, bsize } = await statfs(config.dataDir)
    const free = (bavail * bsize) / 1024 ** 3
    const text = `${config.dataDir}, ${free.toFixed(1)} GiB free`
    return free < 1 ? warn('DATA_DIR', `${text}: PostgreSQL stops when the disk is full: free some space`) : ok('DATA_DIR', text)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return code === 'ENOENT'
      ? warn('DATA_DIR', `${config.dataDir} does not exist yet; the first start creates it`)
      : fail('DATA_DIR', `${config.dataDir} is not writable (${code}): change its owner to the user that runs the hub`)
  }
}

async function checkMail(config: HubConfig): Promise<Finding> {
  if (!config.smtpUrl) return warn('SMTP_URL', `not set: the hub writes mails to ${config.dataDir}/mail`)
  const transport = nodemailer.createTransport({
    url: config.smtpUrl.reveal(),
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
  } as never)
  try {
    await transport.verify()
    return ok('SMTP_URL', `${new URL(config.smtpUrl.reveal()).host} accepts the login of the hub`)
  } catch (error) {
    const { code } = error as { code?: string }
    return fail(
      'SMTP_URL',
      `${new URL(config.smtpUrl.reveal()).host} does not accept mail (${code ?? 'no response'}): check host, port, user and password`,
    )
  } finally {
    transport.close()
  }
}

async function checkBroker(config: HubConfig): Promise<Finding> {
  if (!config.externalBroker && !config.roles.has('broker')) return ok('broker', 'the hubs with this role have one')
  if (!config.externalBroker) return ok('broker', `embedded, port ${config.mqttPort}`)
  const { hostname, port, protocol } = new URL(config.externalBroker.url)
  const isThere = await canConnect(hostname, Number(port) || (protocol === 'mqtts:' ? 8883 : 1883))
  return isThere
    ? ok('MQTT_URL', `${hostname} accepts connections`)
    : fail('MQTT_URL', `${hostname} cannot be reached: check host, port and firewall`)
}

async function checkPort(config: HubConfig): Promise<Finding> {
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  if (!(await canConnect(host, config.port))) return ok('PORT', `${config.port} is free: no hub is running`)
  const url = `${config.tls ? 'https' : 'http'}://${host}:${config.port}/healthz`
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  if (answer?.ok) return ok('PORT', `a hub responds on ${config.port}`)
  return config.tls
    ? ok('PORT', `something listens on ${config.port}`)
    : fail('PORT', `another program uses ${config.port}, or the hub there does not respond: stop it, or set another PORT`)
}

const canConnect = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection({ host, port, timeout: 3_000 })
    const end = (found: boolean) => {
      socket.destroy()
      resolve(found)
    }
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false))
  })
