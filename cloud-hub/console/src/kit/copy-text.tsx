import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { toast } from './toast.tsx'

/** A text to paste elsewhere. */
export function CopyText({ text }: { text: string }) {
  const t = useTranslations('copy')
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => toast('healthy', t('done')),
      () => toast('warning', t('failed')),
    )
  return (
    <div className="flex items-start gap-2 rounded-lg border border-line bg-ground p-3">
      <code className="min-w-0 flex-1 text-sm break-all whitespace-pre-wrap select-all">{text}</code>
      {/* the clipboard needs HTTPS or localhost */}
      {window.isSecureContext ? (
        <Button aria-label={t('copy')} onPress={copy}>
          <Icon name="copy" className="size-4.5" />
        </Button>
      ) : null}
    </div>
  )
}
