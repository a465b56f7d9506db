import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto'
import { mkdtemp, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DamageLog, makePrivateFolder, quarantine, writeDurably, writeFolderDurably } from '../../support/durable-file.ts'
import { applicationUriOf, certificateIn, describeCertificate, type ServerCertificate, thumbprintOf } from './certificate.ts'

/** Our own certificate and key, in PEM files. */
export interface OwnCertificate {
  certificateFile: string
  privateKeyFile: string
  thumbprint: string
  applicationUri: string
}

/** Who we are to OPC UA servers, as PEM: what several programs share so that a server trusts them all. */
export interface ClientIdentity {
  certificate: string
  privateKey: string
}

const VALIDITY_DAYS = 3_650
/** Any server at a polled address can make us store a certificate: this limits how many. */
const MAX_REJECTED = 100
/** What a certificate's file is called; others in the folder are passed over. */
const CERTIFICATE_FILES = new Set(['.pem', '.der', '.crt', '.cer'])
/** A file that is being copied is not complete yet: it counts as damaged only when it has not changed for this long. */
const COPIED_AFTER_MS = 10_000
const RETRY_MS = 200

/**
 * Keys and certificates of OPC UA in one folder: `own/` (created on first use, the key readable by its owner only), `trusted/`
 * and `rejected/` (server certificates, PEM or DER, one per file; an operator may copy files in).
 *
 * Trust applies to single certificates, compared byte by byte. There are no authorities and no expiry: an operator who trusted a
 * controller wants its readings on the day after its certificate expired too, and a date adds nothing to a pinned key.
 *
 * Damaged files are quarantined. The agent then creates its own certificate again; it trusts a server's certificate again only
 * when an operator does so.
 */
export class Pki {
  readonly #dir: string
  /** where damage is reported */
  log: DamageLog
  #own: Promise<OwnCertificate> | null = null

  constructor(dir: string, log: DamageLog) {
    this.#dir = resolve(dir)
    this.log = log
  }

  /** @throws Error of the file system when the folder cannot be read or written */
  own(): Promise<OwnCertificate> {
    this.#own ??= this.#loadOrMake().catch((error: unknown) => {
      this.#own = null
      throw error
    })
    return this.#own
  }

  async #loadOrMake(): Promise<OwnCertificate> {
    const found = await this.#load()
    if (found) return found
    await this.#make()
    const made = await this.#load()
    if (!made) throw new Error(`the certificate in ${this.#ownDir} cannot be read back after it was made`)
    return made
  }

  get #ownDir(): string {
    return join(this.#dir, 'own')
  }

  /** @returns null when there is none, or a damaged one, which is set aside then. @throws Error of the file system */
  async #load(): Promise<OwnCertificate | null> {
    for (let isRetry = false; ; isRetry = true) {
      if (!(await stat(this.#ownDir).catch(() => null))) return null
      const found = await this.#read().catch((error: NodeJS.ErrnoException) => {
        if (error.syscall !== undefined && error.code !== 'ENOENT') throw error
        return null
      })
      if (found) return found
      if (isRetry) break
      // Another replica of a hub may be replacing it at this moment
      await sleep(RETRY_MS)
    }
    const reason = 'the OPC UA certificate or its key is damaged; a new one is made, which every server has to trust'
    quarantine(this.#ownDir, reason, this.log)
    return null
  }

  /** @throws Error also when the files are no certificate and its key */
  async #read(): Promise<OwnCertificate> {
    const [certificateFile, privateKeyFile] = [join(this.#ownDir, 'certificate.pem'), join(this.#ownDir, 'private_key.pem')]
    const certificate = new X509Certificate(await readFile(certificateFile))
    const isPair = certificate.checkPrivateKey(createPrivateKey(await readFile(privateKeyFile)))
    if (!isPair) throw new Error('the key is not that of the certificate')
    const [thumbprint, applicationUri] = [thumbprintOf(certificate), applicationUriOf(certificate)]
    return { certificateFile, privateKeyFile, thumbprint, applicationUri }
  }

  /** Made elsewhere and renamed into place, so that two programs on one folder never see half of it. */
  async #make(): Promise<void> {
    const { OPCUACertificateManager } = await import('node-opcua')
    makePrivateFolder(this.#dir)
    const workshop = await mkdtemp(join(this.#dir, '.making-'))
    const outputFile = join(workshop, 'certificate.pem')
    const maker = new OPCUACertificateManager({ rootFolder: join(workshop, 'maker'), keySize: 2048 })
    try {
      await maker.initialize()
      const host = hostname()
      await maker.createSelfSignedCertificate({
        applicationUri: `urn:${host}:haltless:edge-agent`,
        subject: `/CN=Haltless@${host}/O=Haltless`,
        dns: [host],
        startDate: new Date(Date.now() - 86_400_000),
        validity: VALIDITY_DAYS,
        outputFile,
      })
      this.#placeOwn({ certificate: await readFile(outputFile, 'utf8'), privateKey: await readFile(maker.privateKey, 'utf8') })
    } catch (error) {
      // Another program was faster, and its certificate is as good
      if (!/^(ENOTEMPTY|EEXIST|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    } finally {
      await maker.dispose()
      await rm(workshop, { recursive: true, force: true })
    }
  }

  #placeOwn({ certificate, privateKey }: ClientIdentity): void {
    writeFolderDurably(this.#ownDir, { 'private_key.pem': privateKey, 'certificate.pem': certificate })
  }

  /** Our certificate and key, made if there are none. */
  async identity(): Promise<ClientIdentity> {
    const { certificateFile, privateKeyFile } = await this.own()
    return { certificate: await readFile(certificateFile, 'utf8'), privateKey: await readFile(privateKeyFile, 'utf8') }
  }

  /** Replaces the agent's certificate and key; new connections use them. */
  async become(identity: ClientIdentity): Promise<void> {
    if (await this.#is(identity)) return
    const former = `${this.#ownDir}.former-${randomUUID().slice(0, 8)}`
    await rename(this.#ownDir, former).catch(() => {})
    try {
      this.#placeOwn(identity)
    } catch (error) {
      // Another replica of the hub has already stored the same identity.
      if (!(await this.#is(identity))) throw error
    } finally {
      this.#own = null
      await rm(former, { recursive: true, force: true })
    }
  }

  async #is({ certificate, privateKey }: ClientIdentity): Promise<boolean> {
    const own = await this.#load()
    if (!own) return false
    const present = [await readFile(own.certificateFile, 'utf8'), await readFile(own.privateKeyFile, 'utf8')]
    return present[0] === certificate && present[1] === privateKey
  }

  /** @param der the certificate, alone or followed by its chain */
  async isTrusted(der: Buffer): Promise<boolean> {
    const { raw } = new X509Certificate(der)
    return (await this.#serverCertificates('trusted')).some(({ certificate }) => certificate.raw.equals(raw))
  }

  /** Keeps a server's certificate for `trust`, unless it is trusted. */
  async remember(der: Buffer): Promise<ServerCertificate> {
    const certificate = new X509Certificate(der)
    const isTrusted = await this.isTrusted(der)
    if (!isTrusted) {
      const known = await this.#serverCertificates('rejected')
      if (!known.some((each) => each.certificate.raw.equals(certificate.raw))) {
        for (const { file } of known.slice(0, Math.max(0, known.length - MAX_REJECTED + 1))) await unlink(file)
        await this.#write('rejected', certificate)
      }
    }
    return describeCertificate(certificate, isTrusted)
  }

  /** All server certificates seen, trusted ones first. */
  async list(): Promise<ServerCertificate[]> {
    const [trusted, rejected] = [await this.#serverCertificates('trusted'), await this.#serverCertificates('rejected')]
    return [
      ...trusted.map(({ certificate }) => describeCertificate(certificate, true)),
      ...rejected.map(({ certificate }) => describeCertificate(certificate, false)),
    ]
  }

  /**
   * Moves a rejected certificate to the trusted ones.
   * @param thumbprint in any notation, or its first 8 digits or more
   * @throws Error in plain words when none or several have it
   */
  async trust(thumbprint: string): Promise<ServerCertificate> {
    const digits = thumbprint.replace(/[^0-9a-f]/gi, '').toUpperCase()
    if (digits.length < 8) throw new Error('a thumbprint needs at least its first 8 digits')
    const matches = (folder: { certificate: X509Certificate; file: string }[]) =>
      folder.filter(({ certificate }) => thumbprintOf(certificate).startsWith(digits))
    const [already] = matches(await this.#serverCertificates('trusted'))
    if (already) return describeCertificate(already.certificate, true)
    const [found, ...others] = matches(await this.#serverCertificates('rejected'))
    if (!found) throw new Error(`no server has shown a certificate with the thumbprint ${digits}`)
    if (others.length > 0) throw new Error(`several certificates begin with ${digits}: give more digits`)
    await this.#write('trusted', found.certificate)
    await unlink(found.file)
    return describeCertificate(found.certificate, true)
  }

  /** Oldest first. Files that are no certificates are passed over, damaged ones set aside. */
  async #serverCertificates(folder: 'trusted' | 'rejected'): Promise<{ certificate: X509Certificate; file: string }[]> {
    const names = await readdir(join(this.#dir, folder)).catch(() => [])
    const found: { certificate: X509Certificate; file: string; seenAt: number }[] = []
    for (const name of names.filter((each) => CERTIFICATE_FILES.has(extname(each).toLowerCase()))) {
      const file = join(this.#dir, folder, name)
      try {
        const [content, { mtimeMs }] = [await readFile(file), await stat(file)]
        const certificate = certificateIn(content)
        if (certificate) found.push({ certificate, file, seenAt: mtimeMs })
        else if (Math.abs(Date.now() - mtimeMs) > COPIED_AFTER_MS) quarantine(file, DAMAGED[folder], this.log)
      } catch {} // removed meanwhile, or not ours to read
    }
    return found.sort((a, b) => a.seenAt - b.seenAt)
  }

  async #write(folder: 'trusted' | 'rejected', certificate: X509Certificate): Promise<void> {
    writeDurably(join(this.#dir, folder, `${thumbprintOf(certificate)}.pem`), certificate.toString())
  }
}

const DAMAGED = {
  trusted: 'the certificate of a server is damaged and not trusted any more; the server shows it again, then trust it again',
  rejected: 'the certificate of a server that is not trusted is damaged; the server shows it again',
}

const opened = new Map<string, Pki>()

/** One per folder, so that collectors that start together make one certificate. */
export function openPki(dir: string, log?: DamageLog): Pki {
  const path = resolve(dir)
  const pki = opened.get(path) ?? new Pki(path, log ?? { error() {} })
  if (log) pki.log = log
  opened.set(path, pki)
  return pki
}
