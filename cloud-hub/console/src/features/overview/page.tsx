import { lazy, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { PageHead, Panel, Panels } from '../../kit/layout.tsx'
import { Attention } from './attention.tsx'
import { MachineGrid } from './machine-grid.tsx'
import { StatusCounts } from './status-counts.tsx'
import { WorstMachine } from './worst-machine.tsx'

// what is below the machines comes after them
const ShiftPanel = lazy(() => import('./shift-panel.tsx').then((it) => ({ default: it.ShiftPanel })))

export function OverviewPage() {
  const t = useTranslations('overview')
  return (
    <>
      <PageHead
        title={t('title')}
        lead={
          <span className="block max-sm:min-h-18">
            <WorstMachine />
          </span>
        }
      />
      <Panels>
        <StatusCounts />
        <Panels isOneRow className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_24rem]">
          <Panels className="flex flex-col gap-4 lg:order-last">
            <Attention />
            <Suspense
              fallback={
                <Panel title={t('shiftsToday')} className="min-h-40">
                  {null}
                </Panel>
              }
            >
              <ShiftPanel />
            </Suspense>
          </Panels>
          <MachineGrid />
        </Panels>
      </Panels>
    </>
  )
}
