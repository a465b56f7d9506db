import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { ENROLMENT_KEY_CREATE_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { groupOptions } from '../../app/machine-groups.ts'
import { useSite } from '../../app/site.ts'
import { useFaultText, useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button, buttonClass } from '../../kit/button.tsx'
import { CopyText } from '../../kit/copy-text.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { PageHead, Panel } from '../../kit/layout.tsx'
import { Failed, Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'

const EnrolmentKeys = lazy(() => import('./enrolment-keys.tsx').then((it) => ({ default: it.EnrolmentKeys })))

const WAIT_MS = 2_000
/** as the hub's default */
const HOURS = 24

/** Makes an enrolment key, shows the one line to paste on the box, and waits until the agent arrives. */
export function EnrolPage() {
  const t = useTranslations('enrol')
  const faultText = useFaultText()
  const create = useMutation({
    mutationFn: (body: Schemas['EnrolmentKeyCreate']) => unwrap(api.POST('/enrolment-keys', { body })),
  })
  const fields = useFieldFaults(create.error)
  const site = useSite()
  const { data: groups } = useQuery(apiQuery('/machine-groups/tree'))
  return (
    <>
      <p className="no-print mb-1 text-sm">
        <Link to="/agents">{t('agents')}</Link>
      </p>
      <PageHead title={t('title')} lead={t('lead')} />
      <div className="flex max-w-3xl flex-col gap-4">
        {create.data ? (
          <Waiting created={create.data} onRestart={create.reset} />
        ) : (
          <Panel title={t('keyTitle')}>
            <form
              className="flex flex-col gap-4 p-4"
              onSubmit={(event) => {
                event.preventDefault()
                const values = new FormData(event.currentTarget)
                const agentId = String(values.get('agent_id')).trim()
                create.mutate({
                  name: String(values.get('name')).trim(),
                  expires_in_hours: HOURS,
                  ...(agentId ? { agent_id: agentId } : {}),
                  group_id: String(values.get('group_id') ?? '') || null,
                })
              }}
            >
              {create.error ? <Notice tone="critical">{faultText(create.error)}</Notice> : null}
              <TextField
                label={t('name')}
                hint={t('nameHint')}
                name="name"
                required
                maxLength={ENROLMENT_KEY_CREATE_NAME_MAX_LENGTH}
                fault={fields.name}
              />
              <TextField label={t('agentId')} hint={t('agentIdHint')} name="agent_id" maxLength={64} fault={fields.agent_id} />
              {groups?.length ? (
                <SelectField
                  label={t('group')}
                  hint={t('groupHint')}
                  name="group_id"
                  defaultValue={site ?? ''}
                  fault={fields.group_id}
                  options={[['', t('noGroup')], ...groupOptions(groups)]}
                />
              ) : null}
              <Button look="primary" type="submit" className="self-start" isPending={create.isPending}>
                {t('create')}
              </Button>
            </form>
          </Panel>
        )}
        <Suspense>{create.data ? null : <EnrolmentKeys />}</Suspense>
      </div>
    </>
  )
}

/** How the agent comes onto the box. */
const WAYS = ['debian', 'archive', 'docker', 'checkout'] as const
type Way = (typeof WAYS)[number]

function commandsOf(way: Way, key: string): string {
  const enrol = `enroll --hub ${location.origin} --key ${key}`
  // sudo logs arguments
  if (way === 'debian')
    return `sudo apt install ./haltless-agent_*.deb\necho ${key} | sudo haltless-agent enroll --hub ${location.origin} --key -`
  if (way === 'archive')
    return `tar --zstd -xf haltless-agent-*.tar.zst && cd haltless-agent-*/\nexport HALTLESS_AGENT_CONFIG=$HOME/agent.yaml\nbin/haltless-agent ${enrol}\nbin/haltless-agent run`
  if (way === 'docker') {
    const agent = '-v haltless-agent:/data haltless/agent node edge-agent/src/main.ts'
    const config = '--config /data/agent.yaml'
    return `docker run --rm ${agent} ${enrol} ${config}\ndocker run -d --restart unless-stopped --name haltless-agent ${agent} run ${config}`
  }
  return `npm run -s agent -- ${enrol} --config agent.yaml`
}

/** The archives of the newest release that this hub offers. */
function ReleaseFiles() {
  const t = useTranslations('enrol')
  const faultText = useFaultText()
  const format = useFormat()
  const releases = useQuery(apiQuery('/agent/releases'))
  const save = useMutation({
    mutationFn: ({ version, platform }: { version: string; platform: string }) =>
      download(`/agent/releases/${version}/${platform}/archive`, `haltless-agent-${version}-${platform}.tar.zst`),
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <Loaded query={releases} label={t('archive')} rows={1}>
      {([newest]) =>
        newest ? (
          <div className="flex flex-wrap gap-2">
            {newest.platforms.map(({ platform, size }) => (
              <Button
                key={platform}
                isPending={save.isPending}
                onPress={() => save.mutate({ version: newest.version, platform })}
              >
                {t('saveArchive', { version: newest.version, platform, size: format.bytes(size) })}
              </Button>
            ))}
          </div>
        ) : (
          <p className="text-sm text-soft">{t('noArchive')}</p>
        )
      }
    </Loaded>
  )
}

function Waiting({ created, onRestart }: { created: Schemas['CreatedEnrolmentKey']; onRestart(): void }) {
  const t = useTranslations('enrol')
  const format = useFormat()
  const [way, setWay] = useState<Way>('debian')
  const keys = useQuery({ ...apiQuery('/enrolment-keys'), refetchInterval: WAIT_MS })
  const key = keys.data?.find(({ id }) => id === created.id)
  const agentId = key?.used_by_agent ?? null
  const { data: fleet } = useQuery({
    ...apiQuery('/agent/fleet', { params: { query: { search: agentId ?? '' } } }),
    enabled: agentId !== null,
    refetchInterval: WAIT_MS,
  })
  const agent = fleet?.agents.find(({ agent_id }) => agent_id === agentId)
  return (
    <>
      <Panel title={t('commandTitle')}>
        <div className="flex flex-col gap-3 p-4">
          <SelectField
            label={t('way')}
            value={way}
            onChange={({ target }) => setWay(target.value as Way)}
            options={WAYS.map((it) => [it, t(`ways.${it}`)] as const)}
          />
          {way === 'archive' ? <ReleaseFiles /> : null}
          <p>{t(`wayText.${way}`)}</p>
          <CopyText text={commandsOf(way, created.key)} />
          <p className="text-sm text-soft">{t('commandText')}</p>
          <p className="text-sm text-soft">{t('expires', { at: format.dateTime(created.expires_at) })}</p>
        </div>
      </Panel>
      <Panel title={t('arrivalTitle')}>
        <Failed query={keys} />
        <div className="flex flex-col items-start gap-3 p-4" aria-live="polite">
          {agent?.online ? (
            <>
              <Notice tone="healthy">{t('arrived', { agent: agent.agent_id, version: agent.agent_version })}</Notice>
              <Link to="/agents/$agentId" params={{ agentId: agent.agent_id }} className={buttonClass('primary')}>
                {t('open')}
              </Link>
            </>
          ) : agentId ? (
            <Notice tone="info">{t('enrolled', { agent: agentId })}</Notice>
          ) : key?.status === 'expired' ? (
            <>
              <Notice tone="critical">{t('expired')}</Notice>
              <Button look="primary" onPress={onRestart}>
                {t('restart')}
              </Button>
            </>
          ) : (
            <Notice tone="info">{t('waiting')}</Notice>
          )}
        </div>
      </Panel>
    </>
  )
}
