import { X509Certificate } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'

/** A server's certificate, as an operator compares it. */
export interface ServerCertificate {
  /** SHA-1 of the certificate in 40 upper-case hex digits, the thumbprint that OPC UA programs show */
  thumbprint: string
  /** such as `CN=Press, O=Acme` */
  subject: string
  /** `urn:...`, '' when the certificate names none */
  applicationUri: string
  validTo: Date
  isTrusted: boolean
}

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
/** Whoever answers at a polled address can make us keep a certificate: not without end. */
const MAX_REJECTED = 100

/** SHA-1 in 40 upper-case hex digits */
export const thumbprintOf = (certificate: X509Certificate): string => certificate.fingerprint.replaceAll(':', '')
const applicationUriOf = (certificate: X509Certificate): string =>
  /URI:([^,\s]+)/.exec(certificate.subjectAltName ?? '')?.[1] ?? ''

/**
 * Keys and certificates of OPC UA in one folder: `own/` (made on first use, the key readable by its owner only), `trusted/` and
 * `rejected/` (server certificates, PEM or DER, one per file; files may be copied in by hand).
 *
 * Trust is given to single certificates, compared byte by byte. There are no authorities and no expiry: whoever trusted a
 * controller's certificate wants its readings also on the day after it ran out, and a date tells nothing about a pinned key.
 */
export class Pki {
  readonly #dir: string
  #own: Promise<OwnCertificate> | null = null

  constructor(dir: string) {
    this.#dir = resolve(dir)
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
    const dir = join(this.#dir, 'own')
    const made = await stat(dir).then(
      () => true,
      () => false,
    )
    if (!made) await this.#make(dir)
    const certificateFile = join(dir, 'certificate.pem')
    const certificate = new X509Certificate(await readFile(certificateFile))
    return {
      certificateFile,
      privateKeyFile: join(dir, 'private_key.pem'),
      thumbprint: thumbprintOf(certificate),
      applicationUri: applicationUriOf(certificate),
    }
  }

  /** Made aside and renamed into place, so that two programs on one folder never see half of it. */
  async #make(dir: string): Promise<void> {
    const { OPCUACertificateManager } = await import('node-opcua')
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const workshop = await mkdtemp(join(this.#dir, '.making-'))
    const finished = join(workshop, 'finished')
    await mkdir(finished, { mode: 0o700 })
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
        outputFile: join(finished, 'certificate.pem'),
      })
      const key = await readFile(maker.privateKey)
      await writeFile(join(finished, 'private_key.pem'), key, { mode: 0o600 })
      await chmod(join(finished, 'private_key.pem'), 0o600)
      await rename(finished, dir).catch(async (error: unknown) => {
        // Another program was faster, and its certificate is as good
        if (!(await stat(dir).catch(() => null))) throw error
      })
    } finally {
      await maker.dispose()
      await rm(workshop, { recursive: true, force: true })
    }
  }

  /** Our certificate and key, made if there are none. */
  async identity(): Promise<ClientIdentity> {
    const { certificateFile, privateKeyFile } = await this.own()
    return { certificate: await readFile(certificateFile, 'utf8'), privateKey: await readFile(privateKeyFile, 'utf8') }
  }

  /** Makes us somebody else, from the next connection on. */
  async become(identity: ClientIdentity): Promise<void> {
    const dir = join(this.#dir, 'own')
    const present = await readFile(join(dir, 'certificate.pem'), 'utf8').catch(() => null)
    if (present === identity.certificate) return
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const workshop = await mkdtemp(join(this.#dir, '.making-'))
    try {
      const finished = join(workshop, 'finished')
      await mkdir(finished, { mode: 0o700 })
      await writeFile(join(finished, 'private_key.pem'), identity.privateKey, { mode: 0o600 })
      await writeFile(join(finished, 'certificate.pem'), identity.certificate)
      await rename(dir, join(workshop, 'former')).catch(() => {})
      await rename(finished, dir)
      this.#own = null
    } finally {
      await rm(workshop, { recursive: true, force: true })
    }
  }

  /** @param der the certificate, alone or followed by its chain */
  async isTrusted(der: Buffer): Promise<boolean> {
    const { raw } = new X509Certificate(der)
    return (await this.#read('trusted')).some(({ certificate }) => certificate.raw.equals(raw))
  }

  /** Keeps a server's certificate for `trust`, unless it is trusted. */
  async remember(der: Buffer): Promise<ServerCertificate> {
    const certificate = new X509Certificate(der)
    const isTrusted = await this.isTrusted(der)
    if (!isTrusted) {
      const known = await this.#read('rejected')
      if (!known.some((each) => each.certificate.raw.equals(certificate.raw))) {
        for (const { file } of known.slice(0, Math.max(0, known.length - MAX_REJECTED + 1))) await unlink(file)
        await this.#write('rejected', certificate)
      }
    }
    return describe(certificate, isTrusted)
  }

  /** All server certificates seen, trusted ones first. */
  async list(): Promise<ServerCertificate[]> {
    const [trusted, rejected] = [await this.#read('trusted'), await this.#read('rejected')]
    return [
      ...trusted.map(({ certificate }) => describe(certificate, true)),
      ...rejected.map(({ certificate }) => describe(certificate, false)),
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
    const [already] = matches(await this.#read('trusted'))
    if (already) return describe(already.certificate, true)
    const [found, ...others] = matches(await this.#read('rejected'))
    if (!found) throw new Error(`no server has shown a certificate with the thumbprint ${digits}`)
    if (others.length > 0) throw new Error(`several certificates begin with ${digits}: give more digits`)
    await this.#write('trusted', found.certificate)
    await unlink(found.file)
    return describe(found.certificate, true)
  }

  /** Oldest first. Files that are no certificates are passed over. */
  async #read(folder: 'trusted' | 'rejected'): Promise<{ certificate: X509Certificate; file: string }[]> {
    const names = await readdir(join(this.#dir, folder)).catch(() => [])
    const found: { certificate: X509Certificate; file: string; seenAt: number }[] = []
    for (const name of names) {
      const file = join(this.#dir, folder, name)
      try {
        found.push({ certificate: new X509Certificate(await readFile(file)), file, seenAt: (await stat(file)).mtimeMs })
      } catch {}
    }
    return found.sort((a, b) => a.seenAt - b.seenAt)
  }

  async #write(folder: 'trusted' | 'rejected', certificate: X509Certificate): Promise<void> {
    const dir = join(this.#dir, folder)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const file = join(dir, `${thumbprintOf(certificate)}.pem`)
    await writeFile(`${file}.new`, certificate.toString())
    await rename(`${file}.new`, file)
  }
}

function describe(certificate: X509Certificate, isTrusted: boolean): ServerCertificate {
  return {
    thumbprint: thumbprintOf(certificate),
    subject: certificate.subject.replaceAll('\n', ', '),
    applicationUri: applicationUriOf(certificate),
    validTo: new Date(certificate.validTo),
    isTrusted,
  }
}

const opened = new Map<string, Pki>()

/** One per folder, so that collectors that start together make one certificate. */
export function pkiAt(dir: string): Pki {
  const path = resolve(dir)
  const pki = opened.get(path) ?? new Pki(path)
  opened.set(path, pki)
  return pki
}
