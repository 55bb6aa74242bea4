/** Active users, new users, and retention. All three cards share one request. */
import { useQuery } from '@tanstack/react-query'
import { engagementQuery } from '../../../api/engagement'
import type { DayRange } from '../../../components/range/range'
import { useApp } from '../../../session/app'
import { Active } from './Active'
import { NewAndReturning } from './NewAndReturning'
import { Retention } from './Retention'
import { engagementRange } from './engagementRange'
import styles from './overview.module.css'

interface EngagementProps {
  range: DayRange
  /** Today's date in the app's zone. */
  today: string
}

export function Engagement({ range, today }: EngagementProps) {
  const { app } = useApp()
  const asked = engagementRange(range, today)
  const engagement = useQuery(
    engagementQuery(app.id, {
      start: asked.start,
      end: asked.end,
      timezone: app.timezone,
      cohorts_from: asked.cohortsFrom,
    }),
  )
  return (
    <>
      <div className={styles.pair}>
        <Active query={engagement} cut={asked.cut} />
        <NewAndReturning query={engagement} cut={asked.cut} />
      </div>
      <Retention query={engagement} cut={asked.cut} />
    </>
  )
}
