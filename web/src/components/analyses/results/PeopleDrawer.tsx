/** The people behind a figure, shown beside the answer. */
import { useQuery } from '@tanstack/react-query'
import { Drawer } from 'antd'
import { useState } from 'react'
import { peopleQuery } from '../../../api/analyses'
import type { Pick, Question } from '../../../api/analysisTypes'
import { PeopleTable } from '../../people/PeopleTable'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { DEFAULT_PAGE_SIZE } from '../../../lib/paging'
import { namesCohort, useCohortNames } from '../useCohortNames'
import { pickWords } from './pickWords'
import { useZone } from './result'
import styles from './results.module.css'

interface PeopleDrawerProps {
  appId: string
  question: Question
  /** Null: closed. */
  pick: Pick | null
  onClose: () => void
  /** Actions for all of them, such as saving them as a cohort. */
  actions?: React.ReactNode
}

export function PeopleDrawer({ pick, onClose, ...behind }: PeopleDrawerProps) {
  const t = useT()
  return (
    <Drawer
      open={pick !== null}
      title={t('results.peopleTitle')}
      size={680}
      closable={{ 'aria-label': t('common.close') }}
      destroyOnHidden
      onClose={onClose}
    >
      {pick && <PeopleBehind key={JSON.stringify(pick)} {...behind} pick={pick} />}
    </Drawer>
  )
}

type PeopleBehindProps = Omit<PeopleDrawerProps, 'pick' | 'onClose'> & { pick: Pick }

function PeopleBehind({ appId, question, pick, actions }: PeopleBehindProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const timezone = useZone(question)
  const cohorts = useCohortNames('breakdown' in question && namesCohort(question.breakdown))
  const [params, setParams] = useState({ page: 1, page_size: DEFAULT_PAGE_SIZE })
  const people = useQuery(peopleQuery(appId, { question, pick, ...params }))
  return (
    <>
      <div className={styles.picked}>
        <p>
          {pickWords(question, pick, { t, language, cohorts, timezone })}
          {people.data && <b>{t('results.peopleTotal', { count: people.data.total })}</b>}
        </p>
        {actions}
      </div>
      <PeopleTable
        label={t('results.peopleTitle')}
        query={people}
        params={params}
        onChange={(change) => setParams({ ...params, ...change })}
        empty={<p className={styles.nothing}>{t('results.nobody')}</p>}
      />
    </>
  )
}
