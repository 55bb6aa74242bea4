import { useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { Button } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { runQuery } from '../../../api/analyses'
import type { Answer as Found, Pick, Question } from '../../../api/analysisTypes'
import { ApiError } from '../../../api/errors'
import type { sortFaults } from '../../../components/analyses/faults'
import { missing, type Draft } from '../../../components/analyses/question'
import { PeopleDrawer } from '../../../components/analyses/results'
import { sentenceOf, type Words } from '../../../components/analyses/sentence'
import { namesCohort, useCohortNames } from '../../../components/analyses/useCohortNames'
import { BlockSkeleton, Card, DataCard } from '../../../components/charts/DataCard'
import type { ChartHandle } from '../../../components/charts/LineChart'
import type { RangeParams } from '../../../components/range/useRangeParams'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { AnswerExport } from './AnswerExport'
import { Examples } from './Examples'
import { KeepPeople } from './KeepPeople'
import { QueueNote } from './QueueNote'
import { Result } from './Result'
import styles from './analyses.module.css'

interface AnswerProps {
  draft: Draft
  question: Question
  answer: UseQueryResult<Found>
  /** Errors in the question; those shown in the builder aren't repeated. */
  faults: ReturnType<typeof sortFaults>
  time: RangeParams
  onChange: (draft: Draft) => void
  /** Called when a sample question is opened. */
  onExample: () => void
}

export function Answer(props: AnswerProps) {
  const { draft, question, answer, faults, time, onChange, onExample } = props
  const t = useT()
  const { app, may } = useApp()
  const client = useQueryClient()
  const words = useWords(draft)
  const chart = useRef<ChartHandle>(null)
  const [pick, setPick] = useState<Pick | null>(null)
  const lacking = missing(draft)
  const shown = useShownAnswer(question, answer)
  const title = sentenceOf(draft, words)

  if (lacking) {
    return (
      <Card title={t('analyses.notYet')}>
        <p className={styles.soft}>{t(lacking)}</p>
        <Examples kind={draft.kind} onChoose={onExample} />
      </Card>
    )
  }
  if (faults.placed.size > 0) {
    return (
      <Card title={title}>
        <div className={styles.faults} role="alert">
          <p>{t('analyses.faulty')}</p>
          {faults.rest.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      </Card>
    )
  }
  if (answer.isPending ? answer.fetchStatus === 'idle' : isStopped(answer)) {
    return (
      <Card title={title}>
        <div className={styles.late}>
          <span role="status">{t('analyses.stopped')}</span>
          <Button size="small" onClick={() => void answer.refetch()}>
            {t('analyses.askAgain')}
          </Button>
        </div>
      </Card>
    )
  }
  const isSeen = shown !== null && !answer.isPlaceholderData && !answer.error
  return (
    <div className={styles.answer}>
      <DataCard
        title={title}
        definition={t('analyses.definition')}
        query={answer}
        skeleton={<BlockSkeleton height={420} />}
        actions={
          may('event:export') && (
            <AnswerExport
              question={question}
              draft={draft}
              title={title}
              chart={chart}
              disabled={!isSeen}
            />
          )
        }
      >
        {() =>
          shown && (
            <Result
              {...shown}
              ref={chart}
              draft={draft}
              title={title}
              words={words}
              time={time}
              onPick={may('profile:view') ? setPick : null}
              onChange={onChange}
            />
          )
        }
      </DataCard>
      {answer.isFetching && (
        <QueueNote
          onStop={() => void client.cancelQueries(runQuery(app.id, question), { silent: true })}
        />
      )}
      {isHeavy(answer.error) && <TooHeavy time={time} />}
      {shown && (
        <PeopleDrawer
          appId={app.id}
          question={shown.question}
          pick={pick}
          onClose={() => setPick(null)}
          actions={pick && <KeepPeople question={shown.question} pick={pick} />}
        />
      )}
    </div>
  )
}

/** The user stopped it: what is on screen answers another question. */
const isStopped = ({ isPlaceholderData, fetchStatus }: UseQueryResult<Found>) =>
  isPlaceholderData && fetchStatus === 'idle'

interface Shown {
  question: Question
  answer: Found
}

/** An answer with its question: while the next one is loading, the previous one. */
function useShownAnswer(
  question: Question,
  { data, isPlaceholderData }: { data?: Found; isPlaceholderData: boolean },
): Shown | null {
  const [shown, setShown] = useState<Shown | null>(null)
  if (data && !isPlaceholderData && (shown?.answer !== data || shown.question !== question)) {
    setShown({ question, answer: data })
  }
  return shown
}

function useWords(draft: Draft): Words {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const cohorts = useCohortNames(namesCohort(draft))
  return useMemo(() => ({ t, language, cohorts }), [t, language, cohorts])
}

/** Exceeds the time or memory limit of a question. */
const isHeavy = (error: Error | null) =>
  error instanceof ApiError && (error.code === 'timeout' || error.code === 'query_too_heavy')

function TooHeavy({ time }: { time: RangeParams }) {
  const t = useT()
  return (
    <p className={styles.heavy}>
      {t('analyses.heavy')}
      {time.preset !== '7d' && (
        <Button size="small" onClick={() => time.setRange('7d')}>
          {t('range.preset.7d')}
        </Button>
      )}
    </p>
  )
}
