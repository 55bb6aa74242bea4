import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { queuePlaceQuery } from '../../../api/queuePlace'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import styles from './analyses.module.css'

/** Most answers arrive before anyone wonders. */
const NOTE_AFTER_MS = 2_000

/** Why an answer takes long: others are ahead, or it is a lot of work. Can be stopped. */
export function QueueNote({ onStop }: { onStop: () => void }) {
  const t = useT()
  const { app } = useApp()
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), NOTE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  const { data: ahead = null, isPending } = useQuery({
    ...queuePlaceQuery(app.id),
    enabled: isLate,
  })
  if (isPending) return null
  return (
    <div className={styles.late}>
      <span role="status">
        {ahead === null ? t('analyses.working') : t('analyses.ahead', { count: ahead })}
      </span>
      <Button size="small" onClick={onStop}>
        {t('analyses.stop')}
      </Button>
    </div>
  )
}
