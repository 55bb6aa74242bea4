/**
 * Notices that stay until resolved: a lost connection, and a console the server no longer has. Part
 * of the initial bundle, because nothing can be loaded when it is needed.
 */
import { Button } from 'antd'
import { useState } from 'react'
import { lookForServer, useConnection } from '../../api/connection'
import { useT } from '../../i18n/useT'
import { browser } from '../../lib/navigation'
import { useOutdated } from '../onDemand'
import styles from './StandingNotice.module.css'

export function StandingNotice() {
  const connection = useConnection(({ state }) => state)
  const outdated = useOutdated((state) => state.outdated)
  if (connection === 'lost') return <Lost />
  if (connection === 'again') return <BackOnline />
  return outdated ? <Outdated /> : null
}

function Lost() {
  const t = useT()
  const [looking, setLooking] = useState(false)
  async function retry() {
    setLooking(true)
    await lookForServer()
    setLooking(false)
  }
  return (
    <div className={styles.notice} data-tone="danger" role="alert">
      <p className={styles.title}>{t('connection.lost')}</p>
      <p className={styles.text}>{t('connection.lostText')}</p>
      <Button size="small" loading={looking} onClick={() => void retry()}>
        {t('common.retry')}
      </Button>
    </div>
  )
}

function BackOnline() {
  const t = useT()
  return (
    <div className={styles.notice} data-tone="success" role="status">
      <p className={styles.title}>{t('connection.again')}</p>
    </div>
  )
}

function Outdated() {
  const t = useT()
  return (
    <div className={styles.notice} role="alert">
      <p className={styles.title}>{t('outdated.title')}</p>
      <p className={styles.text}>{t('outdated.text')}</p>
      <div className={styles.actions}>
        <Button size="small" type="primary" onClick={() => browser.reload()}>
          {t('common.reload')}
        </Button>
        <Button size="small" onClick={() => useOutdated.setState({ outdated: false })}>
          {t('common.later')}
        </Button>
      </div>
    </div>
  )
}
