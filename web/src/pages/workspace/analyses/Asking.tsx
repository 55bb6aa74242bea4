import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useId, useMemo } from 'react'
import { Link } from 'react-router'
import { runQuery, type Analysis } from '../../../api/analyses'
import { ApiError } from '../../../api/errors'
import { storedQuestion } from '../../../components/analyses/address'
import { Builder } from '../../../components/analyses/builder/Builder'
import { FaultsContext } from '../../../components/analyses/builder/useFault'
import { sortFaults } from '../../../components/analyses/faults'
import {
  granularitiesOf,
  granularityOf,
  missing,
  questionOf,
  without,
  type Draft,
} from '../../../components/analyses/question'
import { Badge } from '../../../components/Badge'
import { ChoiceGroup } from '../../../components/ChoiceGroup'
import { Page } from '../../../components/Page'
import { ComparePicker } from '../../../components/range/ComparePicker'
import { usualGranularity, type DayRange, type Preset } from '../../../components/range/range'
import { RangePicker } from '../../../components/range/RangePicker'
import { useRangeParams, type RangeParams } from '../../../components/range/useRangeParams'
import { HelpButton } from '../../../components/shortcuts/HelpButton'
import { useIsNarrow } from '../../../components/table/useIsNarrow'
import { useT } from '../../../i18n/useT'
import { paths } from '../../../paths'
import { useAddressQuery } from '../../../router/useAddressQuery'
import { useApp } from '../../../session/app'
import { Answer } from './Answer'
import { Keeping } from './Keeping'
import { useDraft } from './useDraft'
import { useFold } from './useFold'
import shared from '../workspace.module.css'
import styles from './analyses.module.css'

interface AskingProps {
  /** The question and days used if the URL names none. */
  base: Draft
  range: Preset | DayRange
  saved: Analysis | null
}

export function Asking({ base, range: usual, saved }: AskingProps) {
  const t = useT()
  const { app } = useApp()
  const [query] = useAddressQuery()
  const [draft, change] = useDraft(base)
  const time = useRangeParams(app.timezone, { preset: usual, compare: 'none' })
  const { range, preset } = time
  const question = useMemo(
    () => questionOf(draft, range, app.timezone),
    [draft, range, app.timezone],
  )
  const answer = useQuery({ ...runQuery(app.id, question), enabled: missing(draft) === null })
  const { error } = answer
  const faults = useMemo(() => {
    const isFaulty = error instanceof ApiError && error.status === 422
    return sortFaults(draft, isFaulty ? error.fields : {})
  }, [draft, error])
  const changed = query.has('q') || query.has('range')
  const isWhole = missing(draft) === null
  const fold = useFold(!isWhole || faults.placed.size > 0)
  const questionId = useId()
  const narrow = useIsNarrow()
  const timing = (
    <>
      <Granularity draft={draft} range={range} onChange={change} />
      {draft.kind === 'trend' && <Compare draft={draft} onChange={change} />}
    </>
  )
  return (
    <Page
      wide
      title={saved?.name ?? t(`analyses.kind.${draft.kind}`)}
      lead={
        <span className={styles.lead}>
          <Link to={paths.workspace.analyses(app)}>{t('analyses.backToList')}</Link>
          {saved?.description ? (
            <span>{saved.description}</span>
          ) : (
            <span className={isWhole ? styles.about : undefined}>
              {t(`analyses.about.${draft.kind}`)}
            </span>
          )}
          {saved && changed && <Badge tone="soft">{t('analyses.changed')}</Badge>}
        </span>
      }
    >
      {saved?.redacted && <p className={shared.note}>{t('analyses.redacted')}</p>}
      <div className={styles.tools}>
        <RangePicker params={time} />
        {!narrow && timing}
        {fold.toggle && (
          <Button
            className={styles.fold}
            aria-expanded={fold.isOpen}
            aria-controls={questionId}
            onClick={fold.toggle}
          >
            {t(fold.isOpen ? 'analyses.foldQuestion' : 'analyses.editQuestion')}
          </Button>
        )}
        <HelpButton />
        <Keeping
          saved={saved}
          changed={changed}
          question={storedQuestion(draft, preset ?? range)}
        />
      </div>
      <div className={styles.asking}>
        <div id={questionId} data-folded={!fold.isOpen} className={styles.question}>
          {narrow && <div className={styles.tools}>{timing}</div>}
          <FaultsContext value={faults.placed}>
            <Builder draft={draft} onChange={change} />
          </FaultsContext>
        </div>
        <Answer
          draft={draft}
          question={question}
          answer={answer}
          faults={faults}
          time={time}
          onChange={change}
          onExample={fold.close}
        />
      </div>
    </Page>
  )
}

interface ToolProps<Kind extends Draft> {
  draft: Kind
  onChange: (draft: Draft) => void
}

/** The time span of each point, for answers over time. */
function Granularity({
  draft,
  range,
  onChange,
}: ToolProps<Draft> & { range: RangeParams['range'] }) {
  const t = useT()
  const offered = granularitiesOf(draft.kind, range)
  const chosen = granularityOf(draft, range)
  if (offered.length < 2 || !chosen) return null
  return (
    <ChoiceGroup
      label={t('range.granularity')}
      value={chosen}
      choices={offered.map((value) => ({
        value,
        name: t(`range.by.${value}`),
        shown: t(`range.unit.${value}`),
      }))}
      onChoose={(granularity) => {
        const usual = granularity === usualGranularity(range)
        const changed = { ...draft, granularity } as Draft & { granularity?: string }
        onChange(usual ? without(changed, 'granularity') : changed)
      }}
    />
  )
}

function Compare({ draft, onChange }: ToolProps<Extract<Draft, { kind: 'trend' }>>) {
  return (
    <ComparePicker
      params={{
        compare: draft.compare ?? 'none',
        setCompare: (compare) =>
          onChange(compare === 'none' ? without(draft, 'compare') : { ...draft, compare }),
      }}
    />
  )
}
