import { useId } from 'react'
import { useTranslations } from 'use-intl'
import { ROLE_BASE_TIER } from '../../api/enums.ts'
import { TOKEN_SCOPE_ROLES } from '../../api/token-scope-roles.ts'
import type { Tier } from '../../app/me.tsx'
import { fill, useProgramTexts } from './program-texts.ts'

type Scope = keyof typeof TOKEN_SCOPE_ROLES

type Area = Scope extends `${infer A}:${string}` ? A : never

const SCOPES = Object.keys(TOKEN_SCOPE_ROLES) as Scope[]

/** 0 has the most rights. */
const rankOf = (tier: Tier) => ROLE_BASE_TIER.indexOf(tier)

/**
 * Areas with what they offer, each verb a box to tick. What the role of the account does not have cannot be ticked.
 * @param props `tier` is that of the role; undefined while it is not known, when everything can be ticked. `bound` says what bounds the token.
 */
export function ScopesField({ tier, bound, fault }: { tier: Tier | undefined; bound: string; fault: string | undefined }) {
  const { tokens: texts } = useProgramTexts()
  const areas = Map.groupBy(SCOPES, (scope) => scope.split(':')[0] as Area)
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{texts.scopes}</legend>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {[...areas].map(([area, scopes]) => (
          <li key={area} className="flex flex-wrap items-center justify-between gap-x-4 px-3 py-1.5">
            <span className="min-w-40 flex-1">{texts.areas[area]}</span>
            <span className="flex flex-wrap gap-x-4">
              {scopes.map((scope) => (
                <ScopeBox key={scope} scope={scope} area={area} tier={tier} />
              ))}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-sm text-soft">
        {bound} {texts.scopesHint}
      </p>
      {fault ? (
        <p role="alert" className="text-sm font-medium text-critical">
          {fault}
        </p>
      ) : null}
    </fieldset>
  )
}

function ScopeBox({ scope, area, tier }: { scope: Scope; area: Area; tier: Tier | undefined }) {
  const { tokens: texts } = useProgramTexts()
  const tiers = useTranslations('roles.tiers')
  const reason = useId()
  const verb = scope.endsWith(':write') ? 'write' : 'read'
  const needed = TOKEN_SCOPE_ROLES[scope]
  const isLacking = tier !== undefined && rankOf(tier) > rankOf(needed)
  return (
    <label className={`flex min-h-8 items-center gap-2 ${isLacking ? 'text-soft' : ''}`}>
      <input
        type="checkbox"
        name="scopes"
        value={scope}
        disabled={isLacking}
        aria-label={`${texts.areas[area]}: ${texts[verb]}`}
        aria-describedby={isLacking ? reason : undefined}
        className="size-4.5 accent-(--brand)"
      />
      <span>
        {texts[verb]}
        <code className="block text-xs text-soft">{scope}</code>
        {isLacking ? (
          <span id={reason} className="block text-xs">
            {fill(texts.needsRole, { role: tiers(needed) })}
          </span>
        ) : null}
      </span>
    </label>
  )
}
