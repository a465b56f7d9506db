const PLAINTEXT = new Set(['http:', 'mqtt:', 'tcp:', 'ws:'])

/** Hosts that never leave this computer. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)

/**
 * Why a URL must not be used: it would carry credentials and readings unencrypted beyond this computer.
 * @returns null when it may be used, else a sentence with the remedy
 */
export function plaintextFault(url: string, allowPlaintext: boolean): string | null {
  if (!URL.canParse(url)) return `${JSON.stringify(url)} is not a URL`
  const { protocol, hostname, host } = new URL(url)
  if (allowPlaintext || !PLAINTEXT.has(protocol) || isLoopback(hostname)) return null
  return `${protocol}//${host} is not encrypted; use an encrypted address, or, where the network is trusted, hub.allow_plaintext: true (for enroll HALTLESS_ALLOW_PLAINTEXT=true)`
}
