import { type Block, bisect, hasGap, isOfBits, type ReadLimits, splitBlock } from './plan.ts'

/** How much a unit answers in one request, as the settings allow and as its silence has shown. */
export class RequestSizes {
  #limits: ReadLimits
  /** the largest requests that were answered */
  #registers = 0
  #coils = 0

  constructor({ max_gap, max_registers, max_coils }: ReadLimits) {
    this.#limits = { max_gap, max_registers, max_coils }
  }

  get limits(): ReadLimits {
    return this.#limits
  }

  answered({ functionCode, quantity }: Block): void {
    if (isOfBits(functionCode)) this.#coils = Math.max(this.#coils, quantity)
    else this.#registers = Math.max(this.#registers, quantity)
  }

  /** @returns the block in requests that are within the limits */
  split(block: Block): Block[] {
    return splitBlock(block, this.#limits)
  }

  /**
   * Shortens a block of two items or more that a living unit did not answer. Without a gap, and larger than all that was answered,
   * its size is at fault: half of it is the limit from now on.
   */
  shorten(block: Block): Block[] {
    const half = Math.ceil(block.quantity / 2)
    const isOfBitTable = isOfBits(block.functionCode)
    if (hasGap(block) || block.quantity <= (isOfBitTable ? this.#coils : this.#registers)) return bisect(block)
    this.#limits = { ...this.#limits, ...(isOfBitTable ? { max_coils: half } : { max_registers: half }) }
    const parts = this.split(block)
    return parts.length > 1 ? parts : bisect(block)
  }
}
