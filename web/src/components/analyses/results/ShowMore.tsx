import { Button } from 'antd'
import { useState } from 'react'
import { useT } from '../../../i18n/useT'
import styles from './results.module.css'

const STEP = 100

/** Long lists render in steps, because thousands of rows at once would block the page. */
export function useSteps<Row>(rows: Row[]) {
  const [most, setMost] = useState(STEP)
  const left = Math.max(0, rows.length - most)
  const more = left > 0 && <ShowMore left={left} onMore={() => setMost(most + STEP)} />
  return { shown: rows.slice(0, most), more }
}

function ShowMore({ left, onMore }: { left: number; onMore: () => void }) {
  const t = useT()
  return (
    <p className={styles.more}>
      <Button size="small" onClick={onMore}>
        {t('results.showMore', { count: Math.min(left, STEP) })}
      </Button>
      <span>{t('results.left', { count: left })}</span>
    </p>
  )
}
