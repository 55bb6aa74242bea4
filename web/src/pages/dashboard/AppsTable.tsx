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
import { appsToAsk, trendPath, FIGURE_TRENDS } from '../../components/figures/trends'
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
        // The same days; otherwise the app's overview would use its own default.
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
          <TrendFigure id={id} figure={figure}>
            <Counted value={value} />
          </TrendFigure>
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

interface TrendFigureProps {
  id: string
  figure: FigureName
  children: React.ReactNode
}

/** A figure in an app's row links to that app's trend, whatever else is on the board. */
function TrendFigure({ id, figure, children }: TrendFigureProps) {
  const board = useBoard()
  const app = appsToAsk(board).find((one) => one.id === id)
  const trend = FIGURE_TRENDS[figure]
  if (!app || !trend) return children
  return (
    <EntryLink app={app} extra={trendPath(trend, board.params)}>
      {children}
    </EntryLink>
  )
}
