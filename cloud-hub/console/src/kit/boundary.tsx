import { Component, type ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'

/** Replaces a part of a page that has failed; the rest goes on. */
export class Boundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? <FailedPart retry={() => this.setState({ hasFailed: false })} /> : this.props.children
  }
}

export function FailedPart({ retry }: { retry(): void }) {
  const t = useTranslations()
  return (
    <div role="alert" className="flex flex-col items-start gap-3 p-6">
      <p>{t('faults.page')}</p>
      <Button onPress={retry}>{t('common.retry')}</Button>
    </div>
  )
}
