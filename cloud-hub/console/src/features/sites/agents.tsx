import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { useSite } from '../../app/site.ts'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'

const SHOWN = 10
/** no event tells that an agent is silent */
const REFRESH_MS = 30_000

/** The agents of the site, those without a connection first. */
export function SiteAgents() {
  const t = useTranslations()
  const site = useSite()
  const query = useQuery({
    ...apiQuery('/agent/fleet', {
      params: { query: { group_id: site, sort_by: 'last_seen', sort_dir: 'asc', page: 1, page_size: SHOWN } },
    }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <Panel
      title={t('nav.agents')}
      actions={
        <Link to="/agents" search={() => ({ page: undefined, site })}>
          {t('sites.allAgents')}
        </Link>
      }
    >
      <Loaded query={query} label={t('nav.agents')} rows={2}>
        {({ agents }) =>
          agents.length === 0 ? (
            <Empty title={t('sites.noAgents')}>{t('sites.noAgentsText')}</Empty>
          ) : (
            <ul className="divide-y divide-line">
              {agents.map(({ agent_id, online }) => (
                <li key={agent_id} className="flex items-center justify-between gap-3 px-4 py-2.5">
                  <Link to="/agents/$agentId" params={{ agentId: agent_id }} className="min-w-0 truncate">
                    {agent_id}
                  </Link>
                  <Status tone={online ? 'healthy' : 'offline'}>{t(online ? 'sites.online' : 'sites.offline')}</Status>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}
