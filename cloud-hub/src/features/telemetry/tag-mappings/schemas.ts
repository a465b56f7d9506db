import { READING_LIMITS } from '@haltless/protocol'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

const texts = {
  raw_tag: 'The tag name of the vendor, such as an OPC UA node id.',
  standardized_name: 'The metric that the tag stands for.',
  unit: 'The unit of the values. Values are never converted.',
  confidence: 'How sure the suggestion is, 0 to 1; 1 after a person decided.',
}
const mapped = { raw_tag: 'TT_101.PV', standardized_name: 'temperature', unit: 'celsius', confidence_score: 0.9 }

export const MappingBody = z
  .object({
    id: Id.describe('Identifies the mapping: the `mapping_id` of paths and of other responses.'),
    tenant_id: Id.describe('The tenant that it belongs to.'),
    machine_id: Id.describe('The machine whose readings carry the tag.'),
    raw_tag: z.string().describe(texts.raw_tag),
    standardized_name: z.string().describe(texts.standardized_name),
    unit: z.string().describe(texts.unit),
    is_confirmed: z.boolean().describe('Whether later readings follow the mapping.'),
    confidence_score: z.number().describe(texts.confidence),
    created_at: Instant.describe('When the mapping was first suggested.'),
    updated_at: Instant.describe('When the mapping was last suggested, changed or confirmed.'),
    version: RecordVersion,
  })
  .openapi('TagMapping', { example: { ...mapped, is_confirmed: false } })
export const MappingParams = z.object({
  mapping_id: pathId('tag mapping').describe('The mapping, from `GET /machines/{machine_id}/tag-mappings`.'),
})
export const AutoMap = z
  .object({
    tags: z
      .array(
        z.object({
          raw_tag: text(500).describe(texts.raw_tag),
          machine_id: Id.describe('The machine whose readings carry the tag.'),
          context: z
            .union([text(2_000), z.literal(''), z.null()])
            .optional()
            .openapi({ description: 'More about the tag: a description, a unit or a range of values.' }),
        }),
      )
      .min(1, 'must hold at least one tag')
      .max(50, 'must hold at most 50 tags')
      .describe('1 to 50 tags, of one machine or of several.'),
  })
  .openapi('AutoMap', {
    example: {
      tags: [{ raw_tag: 'TT_101.PV', machine_id: '0198c7d4-5a00-7000-8000-0000f5a48bee', context: 'oil temperature, degrees C' }],
    },
  })
export const AutoMapResponse = z
  .object({
    results: z
      .array(
        z.object({
          raw_tag: z.string().describe(texts.raw_tag),
          standardized_name: z.string().describe(texts.standardized_name),
          unit: z.string().describe(texts.unit),
          confidence_score: z.number().describe(texts.confidence),
        }),
      )
      .describe('One entry for each tag of the request, in its order.'),
    saved_count: z.int().describe('Mappings written. Confirmed ones are not written again.'),
  })
  .openapi('AutoMapResult', { example: { results: [mapped], saved_count: 1 } })
export const MappingPatch = z
  .object({
    standardized_name: text(255).describe(texts.standardized_name),
    unit: text(READING_LIMITS.unitChars).describe(texts.unit),
  })
  .partial()
  .openapi('TagMappingPatch', { example: { standardized_name: 'oil_temperature', unit: 'celsius' } })
