interface Parser {
  packet: { length: number }
  _parseLength(): boolean
  _emitError(error: Error): void
}

/**
 * Refuses a packet as soon as its header claims more than `maxBytes` at that moment. aedes 1.2.0 has no such option, and its parser (mqtt-packet 9)
 * gathers up to 256 MB before it looks; this stands in the one step that knows the length. A test fails if that step moves.
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
