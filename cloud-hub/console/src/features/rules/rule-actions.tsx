import { useTranslations } from 'use-intl'
import { Button } from '../../kit/button.tsx'

/** What an administrator does with a rule of any kind. */
export function RuleActions({
  isActive,
  isPending,
  onEdit,
  onToggle,
  onDelete,
}: {
  isActive: boolean
  /** a change of `isActive` is under way */
  isPending: boolean
  onEdit(): void
  onToggle(): void
  onDelete(): void
}) {
  const t = useTranslations()
  return (
    <span className="flex justify-end gap-2">
      <Button look="quiet" onPress={onEdit}>
        {t('common.edit')}
      </Button>
      <Button look="quiet" isPending={isPending} onPress={onToggle}>
        {t(isActive ? 'rules.deactivate' : 'rules.activate')}
      </Button>
      <Button look="quiet" onPress={onDelete}>
        {t('common.delete')}
      </Button>
    </span>
  )
}
