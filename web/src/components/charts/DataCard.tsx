/** A card on a board with its own request, so a slow or failing card holds nothing else up. */
import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from 'antd'
import { useId } from 'react'
import { useT } from '../../i18n/useT'
import { useGathered } from '../failures'
import { LoadFailure } from '../LoadFailure'
import { Waiting } from '../Waiting'
import { Definition } from './Definition'
import styles from './DataCard.module.css'

export type CardQuery<Data> = Pick<
  UseQueryResult<Data>,
  'data' | 'error' | 'isFetching' | 'isPlaceholderData'
> & { refetch: () => unknown }

interface CardHeadProps {
  title: string
  /** How its figures are counted. */
  definition?: React.ReactNode
  /** Shown beside the title. */
  actions?: React.ReactNode
  /** Between title and actions if there is room, otherwise on its own line. */
  choice?: React.ReactNode
}

interface DataCardProps<Data> extends CardHeadProps {
  query: CardQuery<Data>
  /** Has the final size, to avoid layout shift. */
  skeleton: React.ReactNode
  children: (data: Data) => React.ReactNode
}

export function DataCard<Data>(props: DataCardProps<Data>) {
  const { query, skeleton, children, ...head } = props
  const { data, error, isFetching, isPlaceholderData, refetch } = query
  return (
    <Card {...head}>
      {data === undefined ? (
        error ? (
          <LoadFailure error={error} retrying={isFetching} onRetry={() => void refetch()} />
        ) : (
          <Waiting>{skeleton}</Waiting>
        )
      ) : (
        <>
          {error && <StaleNote error={error} query={query} />}
          <div className={styles.body} aria-busy={isPlaceholderData}>
            {children(data)}
          </div>
        </>
      )}
    </Card>
  )
}

export function Card(props: CardHeadProps & { children: React.ReactNode }) {
  const { title, definition, choice, actions, children } = props
  const id = useId()
  return (
    <section className={styles.card} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {definition && <Definition of={title}>{definition}</Definition>}
        {choice && <div className={styles.choice}>{choice}</div>}
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </section>
  )
}

/** Shown above figures that couldn't be updated. */
export function StaleNote({ error, query }: { error: Error; query: CardQuery<unknown> }) {
  const t = useT()
  const { isFetching: retrying } = query
  const gathered = useGathered({ error, retrying, onRetry: () => void query.refetch() })
  if (gathered) return <p className={styles.stale}>{t('chart.stale')}</p>
  return (
    <p className={styles.stale} role="alert">
      {t('chart.stale')} {error.message}
      <Button size="small" loading={query.isFetching} onClick={() => void query.refetch()}>
        {t('common.retry')}
      </Button>
    </p>
  )
}

/** A placeholder for a chart or list of this height. */
export function BlockSkeleton({ height }: { height: number }) {
  return <div className={styles.block} style={{ height }} aria-hidden="true" />
}
