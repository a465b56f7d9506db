import { useTranslations } from 'use-intl'
import { PageHead, Panels } from '../../kit/layout.tsx'
import { Attention } from './attention.tsx'
import { MachineGrid } from './machine-grid.tsx'
import { ShiftPanel } from './shift-panel.tsx'
import { StatusCounts } from './status-counts.tsx'

export function OverviewPage() {
  const t = useTranslations('overview')
  return (
    <>
      <PageHead title={t('title')} />
      <Panels>
        <StatusCounts />
        <Panels className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_24rem]">
          <MachineGrid />
          <Panels className="flex flex-col gap-4 max-lg:order-first">
            <Attention />
            <ShiftPanel />
          </Panels>
        </Panels>
      </Panels>
    </>
  )
}
