import { createHash } from 'node:crypto'
import type { BundledPackage } from './bundle.ts'

interface SbomInput {
  /** of the program */
  name: string
  version: string
  nodeVersion: string
  architecture: string
  /** Unix seconds of the commit, where it is known */
  epoch?: number
  packages: readonly Omit<BundledPackage, 'licenseText'>[]
}

const purl = (name: string, version: string) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`

const licenseOf = (license: string) => {
  if (license === 'NOASSERTION') return { license: { name: license } }
  return /^[A-Za-z0-9.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }
}

/** Lists what is in the package: Node and each bundled package. Source: CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/ */
export function sbomOf({ name, version, nodeVersion, architecture, epoch, packages }: SbomInput): string {
  const component = ({ name, version, license }: Omit<BundledPackage, 'licenseText'>) => ({
    type: 'library',
    'bom-ref': purl(name, version),
    name,
    version,
    licenses: [licenseOf(license)],
    purl: purl(name, version),
  })
  const node = {
    type: 'application',
    'bom-ref': `pkg:generic/node@${nodeVersion}`,
    name: 'node',
    version: nodeVersion,
    licenses: [{ license: { id: 'MIT' } }],
    purl: `pkg:generic/node@${nodeVersion}?arch=${architecture}`,
  }
  const content = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      ...(epoch !== undefined && { timestamp: new Date(epoch * 1_000).toISOString().replace('.000', '') }),
      component: { type: 'application', 'bom-ref': name, name, version },
    },
    components: [node, ...packages.filter(({ name }) => !name.startsWith('@haltless/')).map(component)],
  }
  // a serial number that follows from the content, so that two builds are equal
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  const uuid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
  return `${JSON.stringify({ ...content, serialNumber: `urn:uuid:${uuid}` }, null, 2)}\n`
}

/** The licenses of everything that the package contains, as their terms ask. */
export const licensesOf = (packages: readonly BundledPackage[]): string =>
  packages
    .map(
      ({ name, version, license, licenseText }) =>
        `${name} ${version} (${license})\n\n${licenseText ?? 'The package contains no license file.'}\n`,
    )
    .join(`\n${'-'.repeat(78)}\n\n`)
