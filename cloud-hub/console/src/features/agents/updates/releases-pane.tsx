import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../../api/client.ts'
import { useFormat } from '../../../i18n/format.tsx'
import { Empty, Panel } from '../../../kit/layout.tsx'
import { Loaded } from '../../../kit/loaded.tsx'
import { Table } from '../../../kit/table.tsx'

/** Versions that the operator of the hub added. */
export function ReleasesPane() {
  const t = useTranslations('updates')
  const format = useFormat()
  const releases = useQuery(apiQuery('/agent/releases'))
  return (
    <Panel title={t('releases')}>
      <Loaded query={releases} label={t('releases')} rows={3}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('noReleases')}>
              <p>{t('noReleasesText')}</p>
              <p className="mt-2">
                <code>npm run hub -- releases add FILE</code>
              </p>
            </Empty>
          ) : (
            <Table label={t('releases')}>
              <thead>
                <tr>
                  <th>{t('version')}</th>
                  <th>{t('from')}</th>
                  <th>{t('platforms')}</th>
                  <th>{t('issued')}</th>
                  <th>{t('validUntil')}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((release) => (
                  <tr key={release.version}>
                    <td className="font-medium">
                      <code>{release.version}</code>
                    </td>
                    <td>
                      <code>{release.min_source_version}</code>
                    </td>
                    <td>
                      {release.platforms.map(({ platform, size }) => (
                        <span key={platform} className="block whitespace-nowrap">
                          {t('platform', { platform, size: format.bytes(size) })}
                        </span>
                      ))}
                    </td>
                    <td className="whitespace-nowrap">{format.dateTime(release.issued_at)}</td>
                    <td className={`whitespace-nowrap ${release.is_expired ? 'text-critical' : ''}`}>
                      {format.dateTime(release.expires_at)}
                      {release.is_expired ? <span className="block text-sm">{t('expired')}</span> : null}
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
    </Panel>
  )
}
