import { stateOf, type Erasure } from '../../api/erasures'
import { Badge } from '../../components/Badge'
import { Moment } from '../../components/Moment'
import type { Column } from '../../components/table/columns'
import { Counted, UNKNOWN } from '../../components/table/Counted'
import { useT } from '../../i18n/useT'
import styles from './erasures.module.css'

const TONES = { pending: 'soft', running: 'warning', done: 'success', failed: 'danger' } as const

export function useErasureColumns(): Column<Erasure>[] {
  const t = useT()
  return [
    {
      key: 'subject',
      title: t('erasure.whose'),
      heads: true,
      render: ({ kind, subject_hint }) => (
        <>
          <code className={styles.subject}>{subject_hint}</code>
          <span className={styles.about}>{t(`erasure.kind.${kind}`)}</span>
        </>
      ),
    },
    {
      key: 'state',
      title: t('erasure.state'),
      render: (erasure) => (
        <Badge tone={TONES[stateOf(erasure)]}>{t(`erasure.state.${stateOf(erasure)}`)}</Badge>
      ),
    },
    {
      key: 'asked_at',
      title: t('erasure.askedAt'),
      render: ({ asked_at, asked_by }) => (
        <>
          <Moment at={asked_at} />
          {asked_by && <span className={styles.about}>{asked_by.name}</span>}
        </>
      ),
    },
    {
      key: 'done_at',
      title: t('erasure.doneAt'),
      render: ({ done_at }) => (done_at ? <Moment at={done_at} /> : UNKNOWN),
    },
    {
      key: 'events',
      title: t('erasure.events'),
      numeric: true,
      render: ({ events }) => <Counted value={events} />,
    },
  ]
}
