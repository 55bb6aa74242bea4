/** Waits for the first event, and turns green automatically when it arrives. */
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { sendTestEvent, TEST_EVENT } from '../../../api/testEvent'
import { LinkButton } from '../../../components/LinkButton'
import { LoadFailure } from '../../../components/LoadFailure'
import { Moment } from '../../../components/Moment'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { useFirstData } from '../../../session/useFirstData'
import { paths } from '../../../paths'
import { useFirstName } from './useFirstName'
import styles from './start.module.css'

export function FirstEvent() {
  const t = useT()
  const { app, may } = useApp()
  const ingest = useFirstData()
  const last = ingest.data?.last_event_at
  const waits = ingest.data !== undefined && !last && app.status === 'active'
  const name = useFirstName(app.id, waits && may('live:view'))

  if (!ingest.data && ingest.error) {
    return (
      <LoadFailure
        error={ingest.error}
        retrying={ingest.isFetching}
        onRetry={() => void ingest.refetch()}
      />
    )
  }
  const arrived = Boolean(last) || name !== null
  return (
    <div className={styles.state} data-arrived={arrived}>
      <p role="status">
        {name !== null
          ? t('start.arrivedNamed', { name })
          : last
            ? t('start.arrived')
            : ingest.data
              ? t(waits ? 'ingest.waiting' : 'ingest.none')
              : t('common.loading')}
      </p>
      {last ? (
        <p className={styles.soft}>
          <Moment after={t('start.lastAt')} at={last} />
        </p>
      ) : (
        arrived && <p className={styles.soft}>{t('start.storing')}</p>
      )}
      {last && <Next />}
      {app.status === 'active' && app.collect_key && <TestEvent quiet={Boolean(last)} />}
    </div>
  )
}

/** Links to where the data can be seen, once it is stored. */
function Next() {
  const t = useT()
  const { app, may } = useApp()
  const { workspace } = paths
  return (
    <div className={styles.next}>
      <LinkButton type="primary" to={workspace.overview(app)}>
        {t('title.overview')}
      </LinkButton>
      {may('event:view') && <LinkButton to={workspace.events(app)}>{t('title.events')}</LinkButton>}
      {may('live:view') && <LinkButton to={workspace.live(app)}>{t('title.live')}</LinkButton>}
    </div>
  )
}

/** For people who want to see it work before writing any code. */
function TestEvent({ quiet }: { quiet: boolean }) {
  const t = useT()
  const { app } = useApp()
  const sending = useMutation({ mutationFn: () => sendTestEvent(app) })
  return (
    <div className={styles.test}>
      <Button
        type={quiet ? 'default' : 'primary'}
        loading={sending.isPending}
        onClick={() => sending.mutate()}
      >
        {t('start.sendTest')}
      </Button>
      <p className={styles.soft} role="status">
        {t(sending.isSuccess ? 'start.sentTest' : 'start.testHint', { event: TEST_EVENT })}
      </p>
    </div>
  )
}
