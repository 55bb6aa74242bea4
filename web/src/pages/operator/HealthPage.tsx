/** The health of every instance, problems to look at, and who does which work. */
import { useQuery } from '@tanstack/react-query'
import { instanceHealthQuery, type InstanceHealth } from '../../api/health'
import { Loaded } from '../../components/Loaded'
import { LoadFailure } from '../../components/LoadFailure'
import { BlockSkeleton } from '../../components/charts/DataCard'
import { Page } from '../../components/Page'
import { useT } from '../../i18n/useT'
import { HealthInstances } from './HealthInstances'
import { HealthJobs } from './HealthJobs'
import { HealthLeases } from './HealthLeases'
import { HealthProblems } from './HealthProblems'
import { HealthStores } from './HealthStores'
import { OperatorOnly } from './OperatorOnly'

export default function HealthPage() {
  return (
    <OperatorOnly>
      <Health />
    </OperatorOnly>
  )
}

function Health() {
  const t = useT()
  const health = useQuery(instanceHealthQuery)
  // Old data stays on screen, with a note that it is outdated.
  const stale = health.data !== undefined && health.error
  return (
    <Page wide title={t('title.operatorHealth')} lead={t('health.lead')}>
      {stale && (
        <LoadFailure
          error={stale}
          retrying={health.isFetching}
          onRetry={() => void health.refetch()}
        />
      )}
      <Loaded
        query={health}
        skeleton={
          <>
            <BlockSkeleton height={120} />
            <BlockSkeleton height={280} />
            <BlockSkeleton height={280} />
          </>
        }
      >
        {(found) => <Found health={found} />}
      </Loaded>
    </Page>
  )
}

function Found({ health }: { health: InstanceHealth }) {
  return (
    <>
      <HealthProblems health={health} />
      <HealthInstances health={health} />
      <HealthStores health={health} />
      <HealthJobs health={health} />
      <HealthLeases health={health} />
    </>
  )
}
