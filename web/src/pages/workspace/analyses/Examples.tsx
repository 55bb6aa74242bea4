import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Kind } from '../../../api/analysisTypes'
import { eventsQuery } from '../../../api/catalog'
import { searchOf } from '../../../components/analyses/address'
import { sentenceOf } from '../../../components/analyses/sentence'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { paths } from '../../../paths'
import { useApp } from '../../../session/app'
import { examplesOf } from './exampleQuestions'
import styles from './analyses.module.css'

const MOST_EVENTS = 5

interface ExamplesProps {
  /** Defaults to all. */
  kind?: Kind
  onChoose?: () => void
}

/** Sample questions about the app's own events. */
export function Examples({ kind, onChoose }: ExamplesProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { app, may } = useApp()
  const events = useQuery({
    ...eventsQuery(app.id, {
      page: 1,
      page_size: MOST_EVENTS,
      status: 'visible',
      sort: 'events',
      order: 'desc',
    }),
    enabled: may('event:view'),
  })
  const all = examplesOf(events.data?.items.map(({ event }) => event) ?? [])
  const drafts = all.filter((draft) => !kind || draft.kind === kind)
  if (drafts.length === 0) return null
  const words = { t, language, cohorts: () => undefined }
  return (
    <section className={styles.examples} aria-label={t('analyses.examples')}>
      <h2>{t('analyses.examples')}</h2>
      <ul>
        {drafts.map((draft) => (
          <li key={draft.kind}>
            <Link
              to={paths.workspace.analysis(app, draft.kind) + searchOf(draft)}
              onClick={({ ctrlKey, metaKey, shiftKey }) => {
                // Opened beside this page, it changes nothing here.
                if (!ctrlKey && !metaKey && !shiftKey) onChoose?.()
              }}
            >
              {sentenceOf(draft, words)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
