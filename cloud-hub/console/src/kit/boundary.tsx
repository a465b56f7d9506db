import { useQueryClient } from '@tanstack/react-query'
import { Component, type ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'

/** Replaces a part of a page that has failed; the rest goes on. */
export class Boundary extends Component<{ className?: string; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return <FailedPart className={this.props.className} retry={() => this.setState({ hasFailed: false })} />
  }
}

export function FailedPart({ className = '', retry }: { className?: string | undefined; retry(): void }) {
  const t = useTranslations()
  const client = useQueryClient()
  const loadAgain = () => {
    // what the failed part has loaded may be why it failed, and nothing else shows it
    client.removeQueries({ type: 'inactive' })
    retry()
  }
  return (
    <div role="alert" className={`flex flex-col items-start gap-3 p-6 ${className}`}>
      <p>{t('faults.page')}</p>
      <Button onPress={loadAgain}>{t('common.retry')}</Button>
    </div>
  )
}
