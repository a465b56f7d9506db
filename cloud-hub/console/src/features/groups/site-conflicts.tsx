import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { Notice } from '../../kit/notice.tsx'

const SHOWN = 20

/** Machines of several sites and sites inside others, from before the hub refused them; nothing where there are none. */
export function SiteConflicts() {
  const t = useTranslations('groups')
  const { data } = useQuery(apiQuery('/machine-groups/site-conflicts'))
  if (!data || data.machine_count + data.sites.length === 0) return null
  const machines = data.machines.slice(0, SHOWN)
  return (
    <div className="mb-4">
      <Notice tone="warning">
        <p className="font-medium">{t('conflicts')}</p>
        <p>{t('conflictsText')}</p>
        <ul className="mt-2 list-disc pl-5">
          {data.sites.map(({ site_id, site_name, inside }) => (
            <li key={`${site_id} ${inside.id}`}>{t('siteInside', { site: site_name, other: inside.name })}</li>
          ))}
          {machines.map(({ machine_id, machine_name, sites }) => (
            <li key={machine_id}>
              <Link to="/machines/$machineId" params={{ machineId: machine_id }}>
                {machine_name}
              </Link>
              {`: ${sites.map(({ name }) => name).join(', ')}`}
            </li>
          ))}
          {data.machine_count > machines.length ? (
            <li>{t('moreConflicts', { count: data.machine_count - machines.length })}</li>
          ) : null}
        </ul>
      </Notice>
    </div>
  )
}
