import { useQuery } from '@tanstack/react-query'
import { FIGURES, overallQuery, type FigureName, type OverallApp } from '../../api/overall'
import { Change } from '../../components/charts/Change'
import { Card } from '../../components/charts/DataCard'
import { ShareBar } from '../../components/charts/ShareBar'
import type { Column } from '../../components/table/columns'
import { Counted } from '../../components/table/Counted'
import { DataTable } from '../../components/table/DataTable'
import { sortedBy, useTableParams } from '../../components/table/useTableParams'
import { useLanguageStore, type Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { useOrg } from '../../session/org'
import { EntryLink } from '../../components/figures/EntryLink'
import { explorableApps, explorePath, FIGURE_QUESTIONS } from '../../components/figures/exploring'
import { writeRange } from '../../components/range/range'
import { CsvButton } from '../../components/figures/ExportButtons'
import { APP_SORTS, pageOfApps } from './appRows'
import { useBoard, useOverall, type Board } from '../../components/figures/board'
import styles from './AppsTable.module.css'

const CHOICES = { sorts: APP_SORTS }

export function AppsTable() {
  const t = useT()
  const org = useOrg()
  const language = useLanguageStore((state) => state.currentLang)
  const board = useBoard()
  const [asked, setParams] = useTableParams(CHOICES)
  const params = sortedBy('events', asked)
  const { data } = useOverall('apps')
  const rows = useQuery({
    ...overallQuery(org.id, 'apps', board.question, language),
    select: ({ apps }) => pageOfApps(apps, params),
  })
  const title = t('dashboard.byApp')
  return (
    <Card
      title={title}
      definition={t('dashboard.byAppDefinition')}
      actions={data?.can_export && <CsvButton table="apps" title={title} />}
    >
      <div className={styles.rows}>
        <DataTable
          label={title}
          query={rows}
          params={params}
          onChange={setParams}
          rowKey={({ id }) => id}
          columns={columns(t, board)}
          empty={<p className={styles.none}>{t('dashboard.none')}</p>}
        />
      </div>
    </Card>
  )
}

function columns(t: Translate, { apps, question, params }: Board): Column<OverallApp>[] {
  const compared = question.compare !== 'none'
  return [
    {
      key: 'name',
      title: t('apps.name'),
      sorts: true,
      heads: true,
      render: ({ id, name }) => {
        const app = apps?.find((one) => one.id === id)
        if (!app) return name
        // The same days; the app's own overview has others by itself.
        const range = writeRange(params.preset ?? params.range)
        return (
          <EntryLink app={app} extra={`?${new URLSearchParams({ range }).toString()}`}>
            {name}
          </EntryLink>
        )
      },
    },
    ...FIGURES.map((figure): Column<OverallApp> => ({
      key: figure,
      title: t(`metric.${figure}`),
      sorts: true,
      largestFirst: true,
      numeric: true,
      render: ({ id, [figure]: { value, change } }) => (
        <span className={styles.figure}>
          <ExploreFigure id={id} figure={figure}>
            <Counted value={value} />
          </ExploreFigure>
          {compared && change != null && <Change change={change} />}
        </span>
      ),
    })),
    {
      key: 'share',
      title: t('dashboard.eventShare'),
      render: ({ share }) => <ShareBar share={share} />,
    },
  ]
}

interface ExploreFigureProps {
  id: string
  figure: FigureName
  children: React.ReactNode
}

/** A figure of one app leads to that app's explorer, whatever else is on the board. */
function ExploreFigure({ id, figure, children }: ExploreFigureProps) {
  const board = useBoard()
  const app = explorableApps(board).find((one) => one.id === id)
  const question = FIGURE_QUESTIONS[figure]
  if (!app || !question) return children
  return (
    <EntryLink app={app} extra={explorePath(question, board.params)}>
      {children}
    </EntryLink>
  )
}
