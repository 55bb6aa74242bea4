import { Button } from 'antd'
import { LinkButton } from '../../../components/LinkButton'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../layouts/AppSettingsLayoutContext'
import { paths } from '../../../paths'
import { LiveItem } from './LiveItem'
import type { LiveRow } from './rows'
import styles from './live.module.css'

interface LiveListProps {
  rows: LiveRow[]
  /** Something came, and the filter lets none of it through. */
  filtered: boolean
  onClear: () => void
}

export function LiveList({ rows, filtered, onClear }: LiveListProps) {
  const t = useT()
  const { app } = useApp()
  if (rows.length > 0) {
    return (
      <ol className={styles.list} aria-label={t('title.live')}>
        {rows.map(({ key, message }) => (
          <LiveItem key={key} message={message} />
        ))}
      </ol>
    )
  }
  return filtered ? (
    <EmptyFace
      title={t('live.nothingFound')}
      action={<Button onClick={onClear}>{t('table.clear')}</Button>}
    >
      {t('live.nothingFoundText')}
    </EmptyFace>
  ) : (
    <EmptyFace
      title={t('live.none')}
      action={<LinkButton to={paths.workspace.quickStart(app)}>{t('title.quickStart')}</LinkButton>}
    >
      {t('live.noneText')}
    </EmptyFace>
  )
}
