import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { PageTitle } from '../../kit/page-title.tsx'

/** The frame of the pages before the sign-in. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  const t = useTranslations('common')
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="card flex w-full max-w-sm flex-col gap-4 p-6 sm:p-8">
        <p className="flex items-center gap-2.5 text-lg font-medium text-brand">
          <img src="/icon.svg" alt="" className="size-7 rounded-md" />
          {t('brand')}
        </p>
        <PageTitle>{title}</PageTitle>
        {children}
      </div>
    </main>
  )
}
