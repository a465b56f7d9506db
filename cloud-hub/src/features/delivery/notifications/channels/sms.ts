import { invalid } from '../../../../support/http/validation-message.ts'
import { z } from '../../../../support/http/z.ts'
import type { Channel } from '../channel.ts'
import { joinTexts, jsonBody, outcomeOf } from '../http-outcome.ts'
import { oneLine, truncateLine } from '../notice-text.ts'
import { Address, basicAuth, checkAddresses, credential, joinUrl, originOf } from '../vendor-address.ts'

const VENDOR = 'https://api.twilio.com'
const NUMBER = /^\+[1-9]\d{4,14}$/
const Config = z.strictObject({
  account_sid: z
    .string()
    .regex(/^[A-Za-z0-9]{1,64}$/, invalid('invalid_credential', {}, 'must be an account SID such as AC0123456789abcdef')),
  auth_token: credential(200),
  from_number: z
    .string()
    .refine(
      (text) => NUMBER.test(text) || /^MG[A-Za-z0-9]{1,62}$/.test(text) || /^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/.test(text),
      invalid('invalid_sms_sender'),
    ),
  to_number: z.string().regex(NUMBER, invalid('invalid_phone', {}, 'must be a number such as +4915112345678')),
  base_url: Address.optional(),
})
type Config = z.output<typeof Config>

/** What phones write in seven bits, and what of it takes the place of two. Source: 3GPP TS 23.038, 6.2.1 and 6.2.1.1 */
const SEVEN_BITS =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const TWO_PLACES = '^{}\\[~]|€'
const places = (character: string) => (SEVEN_BITS.includes(character) ? 1 : TWO_PLACES.includes(character) ? 2 : Number.NaN)

/** Three parts of an SMS, in places of seven bits or, with a single other character in it, of sixteen: what is longer is paid for and not read. */
const PLACES = { narrow: 3 * 153, wide: 3 * 67 }

/** At most three parts; the end of a narrow text is cut to `...`, since `…` would make it a wide one. */
export function smsText(text: string): string {
  const line = oneLine(text)
  const sizes = [...line].map(places)
  if (sizes.some(Number.isNaN)) return truncateLine(line, PLACES.wide)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= PLACES.narrow) return line
  let [kept, left] = ['', PLACES.narrow - 3]
  for (const character of line) {
    left -= places(character)
    if (left < 0) break
    kept += character
  }
  return `${kept}...`
}

/**
 * SMS by Twilio.
 * Source: twilio.com/docs, "Messages resource" (form fields, Basic credentials, 201, `Body` of at most 1,600 characters), "What is GSM-7 character
 * encoding?" (153 and 67 characters a part), "Twilio's response" (`code`, `message`), error 20429. It has no idempotency key: a message
 * that was sent but not recorded is sent twice
 */
export const sms: Channel<Config> = {
  product: 'Twilio',
  audience: 'people',
  followsAlert: false,
  subjectKind: null,
  config: Config,
  secrets: ['auth_token'],
  target: (config) => originOf(config.base_url ?? VENDOR),
  check: ({ base_url }, http) => checkAddresses(http, {}, { base_url }),
  deliver: async (notice, config, { http }) => {
    const { account_sid, auth_token, from_number, to_number } = config
    const from = from_number.startsWith('MG') && from_number.length > 11 ? 'MessagingServiceSid' : 'From'
    const answer = await http.request(joinUrl(config.base_url ?? VENDOR, `/2010-04-01/Accounts/${account_sid}/Messages.json`), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: basicAuth(account_sid, auth_token) },
      body: new URLSearchParams({
        To: to_number,
        [from]: from_number,
        Body: smsText(`${notice.severity.toUpperCase()} ${notice.message}`),
      }).toString(),
    })
    return outcomeOf(answer, (given) => {
      const { code, message } = jsonBody(given)
      return joinTexts(typeof code === 'number' ? `error ${code}` : undefined, message)
    })
  },
}
