import type driver from 'postgres'
import { driverCopy } from './driver-copy.ts'

/**
 * The package `postgres` with our patches (`cloud-hub/patches`, decision 9). Run as a program, this file prepares the copy that the
 * next start loads: an image's build does so.
 */
const copy = await driverCopy()
const { default: postgres } = (await import(copy.url).finally(copy.release)) as { default: typeof driver }

export default postgres
