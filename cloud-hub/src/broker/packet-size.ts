interface Parser {
  packet: { length: number }
  _parseLength(): boolean
  _emitError(error: Error): void
}

/**
 * Refuses a packet whose header announces more than the current `maxBytes`. aedes 1.2.0 has no such option, and its parser
 * (mqtt-packet 9) buffers up to 256 MB. This hooks into the parser step that reads the length; a test fails when that step
 * changes.
 */
export function limitPacketSize(client: { _parser: Parser }, maxBytes: () => number): void {
  const parser = client._parser
  const parseLength = parser._parseLength
  parser._parseLength = () => {
    const known = parseLength.call(parser)
    if (!known || parser.packet.length <= maxBytes()) return known
    parser._emitError(new Error(`a packet may have at most ${maxBytes()} bytes`))
    return false
  }
}
