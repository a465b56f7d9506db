import sharp from 'sharp'
import { expect, it } from 'vitest'
import { DocumentProcess } from './document-process.ts'

it('a process that ends while it draws fails that request, and the next request starts another', async () => {
  const photo = await sharp({ create: { width: 3_000, height: 2_000, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer()
  const drawing = new DocumentProcess()
  const lost = drawing.ask({ photo })
  await Promise.all([expect(lost).rejects.toThrow(), drawing.stop()])
  expect((await sharp(await drawing.ask({ photo })).metadata()).width).toBe(1_600)
  await expect(drawing.ask({ photo: Buffer.from('no photo') })).rejects.toThrow(/unsupported image format/)
  await drawing.stop()
  await drawing.stop()
})
