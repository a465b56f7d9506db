import sharp from 'sharp'

/** The formats that are decoded: by their content, not their name. Everything else, SVG above all, is refused before it is parsed. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] })
sharp.cache(false)
sharp.concurrency(1)

/** The longest side of a photo in a document, in pixels: 240 dpi where it fills half the width of A4. */
const MAX_SIDE = 1_600
/** A photo with more pixels is not decoded. */
const MAX_PIXELS = 100_000_000

/**
 * A photo as a JPEG of at most 1600 pixels a side: turned as its EXIF orientation says, without metadata (position, camera, preview).
 * Identical bytes give an identical photo.
 * @throws for bytes that are no JPEG, PNG or WebP, for damaged files, and for more than 100 million pixels
 */
export async function reducePhoto(bytes: Uint8Array): Promise<Uint8Array> {
  const photo = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true })
    .autoOrient()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .jpeg({ quality: 80 })
  return new Uint8Array(await photo.toBuffer())
}
