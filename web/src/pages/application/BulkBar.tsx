import { Button } from 'antd'
import { useT } from '../../i18n/useT'
import styles from './members.module.css'

interface BulkBarProps {
  count: number
  onRoles: () => void
  onRemove: () => void
  onClear: () => void
}

/** Actions for the selected rows. */
export function BulkBar({ count, onRoles, onRemove, onClear }: BulkBarProps) {
  const t = useT()
  return (
    <div className={styles.bulk} role="group" aria-label={t('appMember.bulk')}>
      <span role="status">{t('appMember.chosen', { count })}</span>
      <Button size="small" onClick={onRoles}>
        {t('appMember.changeRole')}
      </Button>
      <Button size="small" danger onClick={onRemove}>
        {t('appMember.removeChosen')}
      </Button>
      <Button size="small" type="text" onClick={onClear}>
        {t('appMember.clearChosen')}
      </Button>
    </div>
  )
}
