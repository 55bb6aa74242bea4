/** Saves the people behind a figure as a cohort. */
import { useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { Link } from 'react-router'
import { cohortsOf, createCohort, type Cohort } from '../../../api/analyses'
import type { Pick, Question } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { paths } from '../../../paths'
import { useApp } from '../../../session/app'
import { KeepDialog } from './KeepDialog'

export function KeepPeople({ question, pick }: { question: Question; pick: Pick }) {
  const t = useT()
  const client = useQueryClient()
  const { app, mayChange } = useApp()
  const [naming, setNaming] = useState(false)
  const [kept, setKept] = useState<Cohort | null>(null)
  if (!mayChange('query:run')) return null
  return (
    <>
      {kept ? (
        <span role="status">
          {t('analyses.cohortSaved')}{' '}
          <Link to={paths.workspace.cohort(app, kept.id)}>{kept.name}</Link>
        </span>
      ) : (
        <Button size="small" onClick={() => setNaming(true)}>
          {t('analyses.saveCohort')}
        </Button>
      )}
      {naming && (
        <KeepDialog
          title={t('analyses.saveCohort')}
          mayShare={mayChange('cohort:manage')}
          save={(named) =>
            createCohort(app.id, { ...named, definition: { of: 'figure', question, pick } })
          }
          onDone={(cohort) => {
            setNaming(false)
            setKept(cohort)
            void client.invalidateQueries(cohortsOf(app.id))
          }}
          onCancel={() => setNaming(false)}
        />
      )}
    </>
  )
}
